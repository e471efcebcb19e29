#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tests on an emulated processor with AVX-512: a Debian kernel in Bochs, with the tests and their libraries as its
# first and only file system. It boots in 15 seconds of one core, and then computes a hundred times slower than here.
#
#   run-emulated.sh BUILD-DIRECTORY WORK-DIRECTORY TEST...
#
# Prints what the tests print, and for each `emulated STATUS TEST`. Exits 3 if the emulator or the kernel cannot be had
# or does not start. Needs Debian's package lists; scripts/install-packages.sh emulator installs the rest.
#
# Bochs 2.7 has two mistakes. It takes gathers by the registers 16 to 31 for illegal, so kernels have none. And
# VCVTPS2PH rounds the middle between two halves away from zero, not to even. So results in float16 are held to their
# bounds here, and not to bits, and check_kernel, which wants these, is left out.
set -euo pipefail
build=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
shift 2
cannot() {
    echo "run-emulated.sh: $1"
    exit 3
}

# The kernel, unpacked, not installed.
fetch_kernel() {
    local package
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p' | head -n 1)
    [ -n "$package" ] && apt-get -q -o Acquire::Retries=3 download "$package" && dpkg-deb -x "$package"_*.deb kernel
}

make_init() { # TEST...
    cat <<END
#!/bin/sh
/bin/busybox mount -t devtmpfs none /dev
/bin/busybox mount -t proc none /proc
exec >/dev/ttyS0 2>&1
echo emulated processor: \$(/bin/busybox grep -o -m 1 'avx512[a-z]*' /proc/cpuinfo)
export REGRAD_ISA=avx512 REGRAD_TEST_SEED=1 REGRAD_TEST_COUNT=10 REGRAD_TEST_WRONG_HALVES=1
for test in $*; do
    /tests/\$test
    echo "emulated \$? \$test"
done
echo emulated all
/bin/busybox sleep 3 # until the serial line has sent all
/bin/busybox poweroff -f
END
}

make_root() { # TEST...
    local test library
    mkdir -p root/{bin,dev,proc,tests}
    cp "$(command -v busybox)" root/bin/busybox
    ln -sf busybox root/bin/sh
    for test in "$@"; do
        strip -o "root/tests/$test" "$build/tests/$test"
        for library in $(ldd "$build/tests/$test" | grep -oE '/[^ ]+'); do
            install -D "$library" "root$library"
        done
    done
    make_init "$@" >root/init
    chmod +x root/init
}

# Bochs and the kernel are of two minds about the size of XSAVEC's area, hence clearcpuid.
make_image() {
    mkdir -p image
    (cd root && find . | cpio --quiet -o -H newc) >image/initrd
    cp kernel/boot/vmlinuz-* image/vmlinuz
    cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 image/
    printf 'DEFAULT tests\nLABEL tests\nKERNEL /vmlinuz\nAPPEND initrd=/initrd %s\n' \
        'console=ttyS0,115200 quiet mitigations=off tsc=reliable lpj=1000000 noapic clearcpuid=xsaves,xsavec' \
        >image/isolinux.cfg
    xorriso -as mkisofs -quiet -o tests.iso -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 \
        -boot-info-table image
}

make_settings() {
    cat <<END
config_interface: textconfig
display_library: term
megs: 1024
cpu: model=corei7_skylake_x, count=1, ips=100000000, reset_on_triple_fault=0
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=tests.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=serial.log
clock: sync=none
panic: action=fatal
error: action=ignore
info: action=ignore
log: bochs.log
END
}

cd "$work"
rm -rf root image kernel ./*.deb serial.log
fetch_kernel >kernel.log 2>&1 || { cat kernel.log; cannot "no kernel: apt-get could not download one"; }
make_root "$@"
make_image >image.log 2>&1 || { cat image.log; cannot "no image to start from"; }
make_settings >settings
echo continue >commands # Debian's Bochs has a debugger, which waits at the start
# It takes only SIGKILL to end it.
TERM=vt100 timeout -s KILL 1200 bochs -q -f settings -rc commands >emulator.log 2>&1 </dev/null || true
tr -d '\r' <serial.log 2>/dev/null | grep -v '^\[ *[0-9]*\.[0-9]*\]' || true
grep -q 'emulated processor: avx512f' serial.log || {
    tail -n 20 emulator.log
    cannot "the emulated machine did not start"
}
