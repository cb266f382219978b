#include "acp/role/versions/content.h"
#include "acp/role/versions/kept.h"
#include "acp/role/versions/patch/git_patch.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

struct Paths {
  std::string operation, old_path, path;
};

Paths paths_of(v2::DiffChange& change) {
  return std::visit(
      Overloaded{
          [](v2::DiffAdd& add) {
            return Paths{"add", {}, std::move(add.path)};
          },
          [](v2::DiffDelete& gone) {
            return Paths{"delete", {}, std::move(gone.path)};
          },
          [](v2::DiffModify& change) {
            return Paths{"modify", {}, std::move(change.path)};
          },
          [](v2::DiffMove& move) {
            return Paths{"move", std::move(move.oldPath), std::move(move.path)};
          },
          [](v2::DiffCopy& copy) {
            return Paths{"copy", std::move(copy.oldPath), std::move(copy.path)};
          },
          [](Unknown& other) {
            return Paths{std::move(other.tag), {}, other.payload["path"].as_string().value_or("")};
          }},
      change.operation);
}

const std::string* path_of(const v2::DiffOperation& operation) {
  return std::visit(
      [](const auto& one) -> const std::string* {
        if constexpr (requires { one.path; })
          return &one.path;
        else
          return nullptr;
      },
      operation);
}

// A patch names files without their first slash, or from a directory on.
bool ends_in(std::string_view path, std::string_view name) {
  return !name.empty() && path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

// The part of a patch that belongs to a change, which is then taken.
PatchedFile* part_of(const Paths& paths, bool only, std::vector<PatchedFile>& files,
                     std::vector<bool>& taken) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (taken[i] || !(ends_in(paths.path, files[i].path) || (only && files.size() == 1))) continue;
    taken[i] = true;
    return &files[i];
  }
  return nullptr;
}

// An empty file that comes or goes has no hunks.
bool has_texts(const PatchedFile& file) {
  return file.hunks > 0 || (!file.binary && (file.operation == PatchedFile::Operation::add ||
                                             file.operation == PatchedFile::Operation::delete_));
}

v1::Diff diff_of(const Paths& paths, PatchedFile& file) {
  v1::Diff diff;
  diff.path = paths.path;
  if (paths.operation != "add") diff.oldText = std::move(file.old_text);
  diff.newText = std::move(file.new_text);
  return diff;
}

v1::Content text_of(const Paths& paths) {
  std::string text = paths.operation + " ";
  if (!paths.old_path.empty()) text += paths.old_path + " → ";
  v1::Content content;
  content.content = text + paths.path;
  return content;
}

}  // namespace

v2::Diff to_v2(const v1::Diff& diff) {
  v2::Diff to;
  v2::DiffChange& change = to.changes.emplace_back();
  const std::optional<std::string_view> old_text =
      diff.oldText ? std::optional<std::string_view>(*diff.oldText) : std::nullopt;
  std::string patch = write_git_patch(diff.path, old_text, diff.newText);
  if (!patch.empty()) to.patch.emplace().text = std::move(patch);
  if (old_text) {
    v2::DiffModify modify;
    modify.path = diff.path;
    change.operation = std::move(modify);
  } else {
    v2::DiffAdd add;
    add.path = diff.path;
    change.operation = std::move(add);
  }
  change.fileType = v2::DiffFileType(v2::DiffFileType::text);
  // What the change was in version 2 before, as far as it is still the same file.
  Json meta = diff._meta;
  const Json kept = take_kept(meta);
  if (auto before = recode<v2::DiffChange>(Json(kept["change"]))) {
    const std::string *old_path = path_of(before->operation), *path = path_of(change.operation);
    if (old_path != nullptr && *old_path == *path) change = std::move(*before);
  }
  to._meta = std::move(meta);
  return to;
}

std::vector<v1::ToolCallContent> to_v1(v2::Diff diff) {
  std::vector<PatchedFile> files;
  if (diff.patch && diff.patch->format == v2::DiffPatchFormat::git_patch)
    files = read_git_patch(std::move(diff.patch->text)).value_or(std::vector<PatchedFile>());
  std::vector<bool> taken(files.size());
  std::vector<v1::ToolCallContent> contents;
  for (v2::DiffChange& change : diff.changes) {
    const Json raw = Json::from_valid(json::encode(change));
    const Paths paths = paths_of(change);
    Json meta = diff._meta;
    keep(meta, "change", raw);
    PatchedFile* const file = part_of(paths, diff.changes.size() == 1, files, taken);
    if (file != nullptr && has_texts(*file)) {
      keep(meta, "line", file->first_line);
      v1::Diff one = diff_of(paths, *file);
      one._meta = std::move(meta);
      contents.emplace_back(std::move(one));
    } else {
      // A format of another kind, or one that cannot be read, is not lost.
      if (diff.patch && files.empty())
        keep(meta, "patch", Json::from_valid(json::encode(*diff.patch)));
      v1::Content one = text_of(paths);
      one._meta = std::move(meta);
      contents.emplace_back(std::move(one));
    }
  }
  return contents;
}

}  // namespace acp::detail::versions
