#!/usr/bin/env python3
"""log_picture.py ACP: makes docs/log-page.png, the page of `acp log --html` as Chromium shows it."""

import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
subprocess.run([sys.executable, root / "check/wire/log_page_test.py", sys.argv[1], "--picture", root / "docs/log-page.png"],
               check=True)
