# SPDX-License-Identifier: Apache-2.0
# Lets programs and build scripts find regrad where they look for the vendor's toolkit:
#
#     . <root>/set_env.sh
#
# For POSIX shells: dash, bash, zsh, ksh and others. May be read any number of times, and the tree may be moved.
# bin/setenv.bash is another name for this file.

# This file's name. A shell that does not tell it holds the file open, and then the system knows it.
# shellcheck disable=SC3028
_regrad_file=${BASH_SOURCE:-}
if [ -n "${ZSH_VERSION:-}" ]; then
    eval '_regrad_file=${(%):-%x}'
elif case ${KSH_VERSION:-} in *" AJM "*) true ;; *) false ;; esac then
    eval '_regrad_file=${.sh.file}'
elif [ -z "${BASH_VERSION:-}" ]; then
    read -r _regrad_process _regrad_rest </proc/self/stat
    for _regrad_open in "/proc/$_regrad_process/fd"/*; do
        _regrad_open=$(readlink "$_regrad_open") || continue
        case $_regrad_open in */set_env.sh | */setenv.bash) _regrad_file=$_regrad_open ;; esac
    done
fi

_regrad_root=.
case $_regrad_file in */*) _regrad_root=${_regrad_file%/*} ;; esac
case $_regrad_file in setenv.bash | */setenv.bash) _regrad_root=$_regrad_root/.. ;; esac
_regrad_root=$(CDPATH='' cd "$_regrad_root" && pwd) || _regrad_root=

# Puts a directory before the others of a list, once.
_regrad_put_first() { # VARIABLE DIRECTORY
    eval "_regrad_rest=:\${$1:-}:"
    while :; do
        case $_regrad_rest in
        *":$2:"*) _regrad_rest=${_regrad_rest%%":$2:"*}:${_regrad_rest#*":$2:"} ;;
        *) break ;;
        esac
    done
    _regrad_rest=${_regrad_rest#:}
    _regrad_rest=${_regrad_rest%:}
    eval "export $1=\"\$2\${_regrad_rest:+:\$_regrad_rest}\""
}

if [ -n "$_regrad_root" ] && [ -e "$_regrad_root/regrad-ascend-home.txt" ]; then
    export ASCEND_HOME_PATH="$_regrad_root"
    export ASCEND_TOOLKIT_HOME="$_regrad_root"
    export ASCEND_OPP_PATH="$_regrad_root/opp"
    _regrad_put_first LD_LIBRARY_PATH "$_regrad_root/lib64"
    _regrad_put_first PATH "$_regrad_root/bin"
    _regrad_put_first PYTHONPATH "$_regrad_root/python/site-packages"
else
    echo "set_env.sh: this shell does not say where the file lies; set ASCEND_HOME_PATH and LD_LIBRARY_PATH" >&2
fi
unset _regrad_file _regrad_process _regrad_open _regrad_root _regrad_rest
unset -f _regrad_put_first
