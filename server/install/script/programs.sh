# Two programs for the carried Python.
# shellcheck shell=sh disable=SC2034,SC2154

# Unpacks ARCHIVE (tar, compressed or not, or zip) into FOLDER without its TOP folder; with no TOP given, without the one
# folder at its top, where there is one. Ends with 5 and a reason where the archive would do anything else.
write_unpacker() {
  cat >"$tmp/unpack.py" <<'END'
import os
import shutil
import sys
import tarfile
import zipfile

archive, folder, top = sys.argv[1:4]


def unsafe(reason):
    print(reason)
    sys.exit(5)


def parts(name):
    found = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or "\\" in name or ".." in found:
        unsafe("it holds the name " + ascii(name))
    return found


def top_of(names):
    if top:
        return top
    firsts = {parts(name)[0] for name in names if parts(name)}
    return firsts.pop() if len(firsts) == 1 and any(len(parts(name)) > 1 for name in names) else ""


def below(name, strip):
    found = parts(name)
    if strip and found:
        if found[0] != strip:
            unsafe("it holds " + ascii(name) + ", which is not below " + ascii(strip))
        found = found[1:]
    return "/".join(found)


def unpack_tar(packed):
    members = packed.getmembers()
    strip = top_of([member.name for member in members])
    kept = []
    for member in members:
        name = below(member.name, strip)
        if not name:
            continue
        changes = {"name": name}
        if member.islnk():
            changes["linkname"] = below(member.linkname, strip)
        kept.append(member.replace(deep=False, **changes))
    check_space(sum(member.size for member in kept if member.isreg()))
    packed.extractall(folder, members=kept, filter="data")


def unpack_zip(packed):
    members = packed.infolist()
    strip = top_of([member.filename for member in members])
    check_space(sum(member.file_size for member in members))
    real = os.path.realpath(folder)
    for member in members:
        name = below(member.filename, strip)
        mode = member.external_attr >> 16
        if not name:
            continue
        if mode & 0o170000 not in (0, 0o040000, 0o100000):
            unsafe("it holds what is no file or folder: " + ascii(name))
        path = os.path.join(folder, name)
        if not (os.path.realpath(path) + "/").startswith(real + "/"):
            unsafe("it holds a name that leads out of it: " + ascii(name))
        if member.is_dir():
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with packed.open(member) as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        os.chmod(path, 0o755 if mode & 0o100 else 0o644)


def check_space(size):
    if size > shutil.disk_usage(folder).free:
        print("it holds %d bytes, and there are not as many free" % size)
        sys.exit(6)


os.makedirs(folder, exist_ok=True)
try:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            unpack_zip(packed)
    else:
        with tarfile.open(archive) as packed:
            unpack_tar(packed)
except (tarfile.TarError, zipfile.BadZipFile) as error:
    unsafe(ascii(str(error)).strip("'\""))
END
}

# Multiplies two matrices on every card. One line a card; where one fails, the reason is the last.
write_gpu_check() {
  cat >"$tmp/gpu.py" <<'END'
import sys
import torch

count = torch.cuda.device_count() if torch.cuda.is_available() else 0
if count == 0:
    sys.exit("torch %s (CUDA %s) sees no card" % (torch.__version__, torch.version.cuda))
for number in range(count):
    name = torch.cuda.get_device_name(number)
    capability = "%d.%d" % torch.cuda.get_device_capability(number)
    card = "%s (compute capability %s)" % (name, capability)
    try:
        ones = torch.ones((64, 64), device="cuda:%d" % number)
        total = float((ones @ ones).sum().item())
    except Exception as error:
        said = " ".join(str(error).split())
        if "no kernel image" in said:
            built = ", ".join(torch.cuda.get_arch_list())
            sys.exit("this build has no kernels for %s: it was built for %s; another variant or version may have them" % (card, built))
        sys.exit("a computation on %s fails: %s" % (card, said[:300]))
    if total != 64.0 * 64 * 64:
        sys.exit("a computation on %s gives a wrong result: %r" % (card, total))
    print("CUDA%d: %s" % (number, card))
END
}
