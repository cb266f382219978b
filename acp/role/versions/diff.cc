#include <algorithm>
#include <utility>

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
PatchedFile* part_of(const Paths& paths, std::vector<PatchedFile>& files,
                     std::vector<bool>& taken) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (taken[i] || !ends_in(paths.path, files[i].path)) continue;
    taken[i] = true;
    return &files[i];
  }
  return nullptr;
}

Paths paths_of(const PatchedFile& file) {
  switch (file.operation) {
    case PatchedFile::Operation::add:
      return {"add", {}, file.path};
    case PatchedFile::Operation::delete_:
      return {"delete", {}, file.path};
    case PatchedFile::Operation::modify:
      return {"modify", {}, file.path};
    case PatchedFile::Operation::move:
      return {"move", file.old_path, file.path};
    case PatchedFile::Operation::copy:
      return {"copy", file.old_path, file.path};
  }
  return {};
}

Json change_of(const Paths& paths) {
  Json change = Json::object({{"operation", paths.operation}, {"path", paths.path}});
  if (!paths.old_path.empty()) change.set("oldPath", paths.old_path);
  return change;
}

// An empty file that comes or goes has no hunks.
bool has_texts(const PatchedFile& file) {
  return file.hunks > 0 || (!file.binary && (file.operation == PatchedFile::Operation::add ||
                                             file.operation == PatchedFile::Operation::delete_));
}

v1::Diff diff_of(const Paths& paths, PatchedFile& file) {
  v1::Diff diff;
  diff.path = paths.path;
  if (paths.operation != "add" || !file.old_text.empty()) diff.oldText = std::move(file.old_text);
  diff.newText = std::move(file.new_text);
  return diff;
}

v1::Content text_content(std::string text) {
  v1::Content content;
  content.content = std::move(text);
  return content;
}

std::string description_of(const Paths& paths) {
  std::string text = paths.operation + " ";
  if (!paths.old_path.empty()) text += paths.old_path + " → ";
  return text + paths.path;
}

// What one message may make of itself.
constexpr std::size_t most_changes = 4096;

// The content that shows a change. All that it touches stands in the `_meta` of one of its parts.
void add_change(const Paths& paths, const Json& change, PatchedFile* file, Json meta,
                std::vector<v1::ToolCallContent>& contents) {
  keep(meta, "change", change);
  const bool shows_texts = file != nullptr && has_texts(*file);
  if (!shows_texts) {
    v1::Content one = text_content(description_of(paths));
    one._meta = std::move(meta);
    contents.emplace_back(std::move(one));
  } else {
    // Its texts do not say where it came from.
    if (!paths.old_path.empty()) contents.emplace_back(text_content(description_of(paths)));
    keep(meta, "line", file->first_line);
    v1::Diff one = diff_of(paths, *file);
    one._meta = std::move(meta);
    contents.emplace_back(std::move(one));
  }
  if (file != nullptr && !file->mode.empty())
    contents.emplace_back(text_content("mode " + file->mode + " " + paths.path));
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
  // What belongs to all of them goes with the first. A format of another kind, or a patch that
  // cannot be read, is not lost.
  Json meta = std::move(diff._meta);
  const bool is_unread = diff.patch && files.empty();
  if (is_unread) keep(meta, "patch", Json::from_valid(json::encode(*diff.patch)));
  const auto add = [&](const Paths& paths, const Json& change, PatchedFile* file) {
    add_change(paths, change, file, std::exchange(meta, Json()), contents);
  };
  const std::size_t shown = std::min(diff.changes.size(), most_changes);
  for (std::size_t i = 0; i < shown; ++i) {
    const Json raw = Json::from_valid(json::encode(diff.changes[i]));
    const Paths paths = paths_of(diff.changes[i]);
    add(paths, raw, part_of(paths, files, taken));
  }
  // A patch may say more than the changes do.
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (taken[i]) continue;
    const Paths paths = paths_of(files[i]);
    add(paths, change_of(paths), &files[i]);
  }
  if (shown < diff.changes.size() || (is_unread && contents.empty())) {
    v1::Content rest =
        text_content(shown < diff.changes.size() ? std::to_string(diff.changes.size() - shown) +
                                                       " more changes, which are not shown"
                                                 : "a patch that cannot be read");
    rest._meta = std::exchange(meta, Json());
    keep(rest._meta, "unread", true);
    contents.emplace_back(std::move(rest));
  }
  return contents;
}

}  // namespace acp::detail::versions
