# Completion of gait for bash. What may stand next, gait itself says (src/cli/completion.h).
# It is the gait of PATH that is asked, also where another one is typed.
# Installed where bash-completion finds it; without that: source this file.

_gait_add() { # kind of compgen's, what is typed, its other options…
    local -a found
    mapfile -t found < <(compgen "$1" "${@:3}" -- "$2")
    COMPREPLY+=("${found[@]}")
}

_gait_files() { # what is typed, endings…
    local typed=$1 ending
    shift
    compopt -o filenames 2>/dev/null
    [ $# -gt 0 ] || _gait_add -f "$typed"
    [ $# = 0 ] || _gait_add -d "$typed"
    for ending; do _gait_add -f "$typed" -X "!*.$ending"; done
}

# A line of gait's answer; false: it has completed all.
_gait_take() { # line, what is typed
    local -a endings
    local word=${1%%$'\t'*}
    case $1 in
        :command\ *)
            if declare -F _command_offset >/dev/null; then
                _command_offset $((${1#* } + 1))
                return 1
            fi
            _gait_add -c "$2"
            _gait_files "$2"
            ;;
        :folders)
            compopt -o filenames 2>/dev/null
            _gait_add -d "$2"
            ;;
        :files*)
            read -r -a endings <<<"${1#:files}"
            _gait_files "$2" "${endings[@]}"
            ;;
        *) [[ $word != "$2"* ]] || COMPREPLY+=("$word") ;;
    esac
}

_gait() {
    local -a words=() answer
    local word typed=${COMP_WORDS[COMP_CWORD]} IFS=$' \t\n'
    # --name=VALUE is three words for bash, and the value of --name for gait
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [ "$word" = = ] || words+=("$word"); done
    [ "$typed" != = ] || typed=
    COMPREPLY=()
    mapfile -t answer < <(command gait complete -- "${words[@]}" "$typed" 2>/dev/null)
    for word in "${answer[@]}"; do _gait_take "$word" "$typed" || return 0; done
}

complete -F _gait gait
