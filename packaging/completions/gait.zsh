#compdef gait
# Completion of gait for zsh. What may stand next, gait itself says (src/cli/completion.h).

_gait() {
    local answer name help found=1
    local -a before plain described
    ((CURRENT > 2)) && before=("${(@Q)words[2,CURRENT-1]}")
    # --name=VALUE is the value of --name
    if [[ $PREFIX == --*=* ]]; then
        before+=("${PREFIX%%=*}")
        compset -P '*='
    fi
    for answer in "${(@f)$(command gait complete -- "$before[@]" "${(Q)PREFIX}" 2>/dev/null)}"; do
        case $answer in
            ('') ;;
            (:command\ *)
                shift $((${answer#* } + 1)) words
                ((CURRENT -= ${answer#* } + 1))
                _normal
                return
                ;;
            (:folders) _files -/ && found=0 ;;
            (:files) _files && found=0 ;;
            (:files\ *) _files -g "*.(${${answer#:files }// /|})(-.)" && found=0 ;;
            (*)
                name=${answer%%$'\t'*} help=${answer#*$'\t'}
                if [[ -n $help ]]; then
                    described+=("${name//:/\\:}:$help")
                else
                    plain+=("$name")
                fi
                ;;
        esac
    done
    (($#plain)) && compadd -a plain && found=0
    (($#described)) && _describe gait described && found=0
    return found
}

_gait "$@"
