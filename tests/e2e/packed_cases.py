"""Ways in which a packed file or an archive can be right or wrong."""

from __future__ import annotations

import bz2
import gzip
import zipfile

from backports import zstd

from tests.e2e.cases import FOREIGN, GOOD, HEADER, TAR, WORKBOOK, Case
from tests.packing import zipped

PACKED, PACKED_ROWS = gzip.compress(GOOD), gzip.compress(GOOD.removeprefix(HEADER))
MIB = 1024 * 1024
BZIPPED = bz2.compress(GOOD)
ZSTD = zstd.compress(GOOD)
OF_256_MIB = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 28})
MORE = HEADER + b"3,Bo,1.5,2026-02-01\n"
ZIPPED = zipped({"orders-1.csv": GOOD, "orders-2.csv": MORE})
REPORT = b"Payments of January\nid;amount\n1;10.50\nTotal;10.50\n"
SEALED = bytearray(ZIPPED)
SEALED[6] = SEALED[ZIPPED.index(b"PK\x01\x02") + 8] = 1
ZIPS = {
    "that needs a password": (bytes(SEALED), "zip-password"),
    "in a zip archive": (zipped({"orders.csv": ZIPPED}), "zip-in-zip"),
    "with a name that leads upwards": (zipped({"orders.csv": GOOD, "../x": b"x"}), "zip-unsafe-name"),
    "without a file of the pattern": (zipped({"customers.csv": GOOD}), "zip-no-member"),
    "with a file of another name": (zipped({"orders.csv": GOOD, "readme.txt": b"Hello"}), "zip-other-members"),
    "with a file of another form": (
        zipped({"orders-1.csv": GOOD, "orders-2.csv": b"%PDF-1.7\n"}),
        "wrong-format",
    ),
    "with a file of another header": (
        zipped({"orders-1.csv": GOOD, "orders-2.csv": b"name,id,amount,day\n"}),
        "zip-header-differs",
    ),
    "that is a workbook": (WORKBOOK, "wrong-format"),
    "with a workbook in it": (zipped({"orders.csv": WORKBOOK}), "wrong-format"),
    "that is cut short": (ZIPPED[:-30], "broken-zip"),
    "whose checksum is wrong": (ZIPPED.replace(ZIPPED[14:18], b"abcd"), "broken-zip"),
    "by LZMA": (zipped({"orders.csv": GOOD}, zipfile.ZIP_LZMA), "zip-method"),
    "that holds 200 times its size": (zipped({"orders.csv": HEADER + b"1,a,1,\n" * (12 * MIB)}), "unpacks-too-large"),
    "of 1,001 files": (zipped({f"orders-{n}.csv": GOOD for n in range(1_001)}), "zip-too-many"),
}
CASES = (
    Case("CSV compressed by gzip", "packed/good.csv.gz", PACKED, "accepted", (), "job"),
    Case("gzip cut short", "packed/short.csv.gz", PACKED[:-9], "rejected", ("broken-gzip",), "admission"),
    Case(
        "gzip with something behind its end",
        "packed/more.csv.gz",
        PACKED + b"more",
        "rejected",
        ("broken-gzip",),
        "admission",
    ),
    Case("gzip in two streams", "packed/two.csv.gz", gzip.compress(HEADER) + PACKED_ROWS, "accepted", (), "job"),
    Case(
        "gzip filled up with zeros",
        "packed/zeros.csv.gz",
        PACKED + bytes(512),
        "rejected",
        ("broken-gzip",),
        "admission",
    ),
    Case("CSV compressed by bzip2", "bzipped/good.csv.bz2", BZIPPED, "accepted", (), "job"),
    Case("bzip2 cut short", "bzipped/short.csv.bz2", BZIPPED[:-9], "rejected", ("broken-bzip2",), "admission"),
    Case("gzip where bzip2 is agreed", "bzipped/other.csv.bz2", PACKED, "rejected", ("not-compressed",), "admission"),
    Case("CSV compressed by Zstandard", "zstandard/good.csv.zst", ZSTD, "accepted", (), "job"),
    Case(
        "Zstandard in two frames, behind one to skip",
        "zstandard/frames.csv.zst",
        b"\x50\x2a\x4d\x18\x02\x00\x00\x00no" + zstd.compress(HEADER) + zstd.compress(GOOD.removeprefix(HEADER)),
        "accepted",
        (),
        "job",
    ),
    Case("Zstandard cut short", "zstandard/short.csv.zst", ZSTD[:-9], "rejected", ("broken-zstd",), "admission"),
    Case(
        "Zstandard with a dictionary",
        "zstandard/dictionary.csv.zst",
        zstd.compress(GOOD, zstd_dict=zstd.train_dict([b"%d,name,1.5,2024-01-31\n" % n for n in range(900)], 800)),
        "rejected",
        ("broken-zstd",),
        "admission",
    ),
    Case(
        "Zstandard that needs much memory",
        "zstandard/wide.csv.zst",
        OF_256_MIB.compress(GOOD) + OF_256_MIB.flush(),
        "rejected",
        ("broken-zstd",),
        "admission",
    ),
    Case("gzip where Zstandard is agreed", "zstandard/x.csv.zst", PACKED, "rejected", ("not-compressed",), "admission"),
    Case("a zip archive of two files", "zipped/good.zip", ZIPPED, "accepted", (), "job"),
    *(
        Case(f"a zip archive {name}", f"zipped/bad-{n}.zip", body, "rejected", (code,), "admission")
        for n, (name, (body, code)) in enumerate(ZIPS.items())
    ),
    Case(
        "a zip archive of one report with a title and a total",
        "bundled/good.zip",
        zipped({"payments-1.csv": REPORT}),
        "accepted",
        (),
        "job",
    ),
    Case(
        "a zip archive of two reports with a title and a total",
        "bundled/two.zip",
        zipped({"payments-1.csv": REPORT, "payments-2.csv": REPORT}),
        "rejected",
        ("zip-several-files",),
        "admission",
    ),
    Case("plain text where gzip is agreed", "packed/plain.csv", GOOD, "rejected", ("not-compressed",), "admission"),
    Case(
        "gzip that unpacks to 200 times its size",
        "packed/bomb.csv.gz",
        gzip.compress(HEADER + b"1,a,1,\n" * (12 * MIB)),
        "rejected",
        ("unpacks-too-large",),
        "admission",
    ),
    *(
        Case(f"{name} where gzip is agreed", f"packed/x-{n}", FOREIGN[name], "rejected", ("wrong-format",), "admission")
        for n, name in enumerate(("SAS", "HL7", "a workbook (xlsx)"))
    ),
    *(
        Case(f"{name} where a zip archive is agreed", f"zipped/x-{n}", FOREIGN[name], "rejected", (code,), "admission")
        for n, (name, code) in enumerate({"EDIFACT": "wrong-format", "7-Zip": "not-compressed"}.items())
    ),
    Case("a tar archive where gzip is agreed", "packed/tar.csv.gz", TAR, "rejected", ("not-compressed",), "admission"),
    Case(
        "a tar archive compressed by gzip",
        "packed/tar-in.csv.gz",
        gzip.compress(TAR),
        "rejected",
        ("wrong-format",),
        "admission",
    ),
)
