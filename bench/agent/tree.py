"""A tree of sources to search, the same wherever it is made."""

import random
from pathlib import Path

WORDS = ("result value index buffer session message request response error token stream parse write read open close "
         "handler config update client server agent tool path file line count size begin end list map string vector "
         "const auto return static void int bool struct class template typename namespace include define if else for "
         "while switch case break continue new delete this true false null public private virtual override").split()
KINDS = [(".cc", 30), (".h", 25), (".py", 12), (".js", 12), (".md", 8), (".json", 6), (".txt", 3), (".o", 2), (".log", 2)]
RARE = "needle_in_the_haystack"  # in one file of 2,500


def make(root, files=50_000, seed=7):
    """Beside it stands what was made, so that a whole one is used again and half a one is not."""
    root = Path(root)
    done = root.with_name(root.name + ".made")
    if done.exists() and done.read_text() == f"{files} {seed}":
        return root
    chance = random.Random(seed)
    lines = ["    " * chance.randrange(4) + " ".join(chance.choices(WORDS, k=chance.randrange(2, 14))) +
             chance.choice([";", " {", "(", ")", ",", "", " = %d;" % chance.randrange(10**6)]) for _ in range(20_000)]
    directories = [""]
    while len(directories) < files // 12:
        parent = chance.choice(directories[-400:] + directories[:40])
        if parent.count("/") < 9:
            name = chance.choice(["build", "node_modules"]) if chance.random() < 0.02 else \
                f"{chance.choice(WORDS)}_{len(directories)}"
            directories.append(f"{parent}{name}/")
    for directory in directories:
        (root / directory).mkdir(parents=True, exist_ok=True)
        if directory and chance.random() < 0.02:
            (root / directory / ".gitignore").write_text("*.txt\n/local_*\n!keep.txt\n")
    (root / ".git").mkdir(exist_ok=True)
    (root / ".gitignore").write_text("build/\nnode_modules/\n*.o\n*.log\n/dist\n**/generated/*.js\n")
    kinds, weights = zip(*KINDS)
    for i in range(files):
        kind = chance.choices(kinds, weights)[0]
        size = min(400_000, int(chance.lognormvariate(8, 1.2)))  # 3 KB in the middle, 6 KB the mean
        text, at = [], chance.randrange(len(lines))
        while size > 0:
            text.append(lines[at % len(lines)])
            size -= len(text[-1]) + 1
            at += 1
            if chance.random() < 0.02:
                at = chance.randrange(len(lines))
        if i % 2500 == 0:
            text.insert(len(text) // 2, f"// {RARE} {i}")
        body = "\n".join(text).encode() + b"\n"
        if kind == ".o" or chance.random() < 0.01:
            body = b"\x7fELF\0\0\1" + body
        (root / chance.choice(directories) / f"{chance.choice(WORDS)}_{i}{kind}").write_bytes(body)
    done.write_text(f"{files} {seed}")
    return root
