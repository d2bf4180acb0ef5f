# Completion of gait for fish. What may stand next, gait itself says (src/cli/completion.h).

# Files of the endings given, and folders; without endings all files.
function __gait_files --argument-names typed
    set -l endings (string escape --style=regex -- $argv[2..-1] | string join '|')
    set -l found (complete -C "'' $(string escape --no-quoted -- $typed)")
    test -n "$endings"; and set found (string match -r -- "^[^\t]*(?:/|\.(?:$endings))(?:\t.*)?\$" $found)
    printf '%s\n' $found
end

function __gait_complete
    set -l before (commandline -opc)[2..-1]
    set -l typed (commandline -ct)
    set -l prefix
    # --name=VALUE is the value of --name
    if set -l parts (string match -r -- '^(--[^=]*)=(.*)$' $typed)
        set -a before $parts[2]
        set typed $parts[3]
        set prefix $parts[2]=
    end
    for answer in (command gait complete -- $before "$typed" 2>/dev/null)
        switch $answer
            case ':command *'
                set -l rest (string split -f 2 ' ' -- $answer)
                complete -C (string join ' ' -- (string escape -- $before[(math $rest + 1)..-1]) "$typed")
            case ':folders'
                printf "$prefix%s\n" (__fish_complete_directories "$typed" '')
            case ':files*'
                set -l endings (string split -n ' ' -- (string replace ':files' '' -- $answer))
                printf "$prefix%s\n" (__gait_files "$typed" $endings)
            case '*'
                printf "$prefix%s\n" $answer
        end
    end
end

complete -c gait -f -a '(__gait_complete)'
