# Written by `cargo run --example completions`; change the tables in src/cli instead.

# What may stand at the place of the cursor: @files, or words.
function __condor_releaseexpr_offered
    set -l words (commandline -opc)
    set -l at (count $words)
    while test $at -gt 1; and not string match -q -- '-?*' $words[$at]
        set at (math $at - 1)
    end
    set -l places
    switch (string replace -r ':.*' '' -- $words[$at])
        case -li -lin -lint --lint
            set places '@files' ''
        case -r -re -rep -repl -repla -replay --replay
            set places '@files' ''
        case -u -us -use -user -userl -userlo -userlog --userlog
            set places '@files' ''
        case -ev -eve -even -event -eventl -eventlo -eventlog --eventlog
            set places '@files' ''
        case -ep -epo -epoc -epoch -epochs --epochs
            set places '@files' ''
        case -j -jo -job -joba -jobad -jobads --jobads
            set places '@files' ''
        case -conf -confi -config --config
            set places '@files' ''
        case -k -ki -kin -kind --kind
            set places 'release hold remove exit' ''
        case -f -fo -for -form --form
            set places 'submit system transform' ''
        case -mo -mod -mode -model --model
            set places '@files' ''
    end
    set -l place (math (count $words) - $at + 1)
    if test $place -gt (count $places)
        set place -1
    end
    string split -n ' ' -- $places[$place]
end
function __condor_releaseexpr_files
    string match -q -- @files (__condor_releaseexpr_offered)
end
complete -c condor_releaseexpr -f
complete -c condor_releaseexpr -n __condor_releaseexpr_files -F
complete -c condor_releaseexpr -n 'not __condor_releaseexpr_files' -a '(__condor_releaseexpr_offered)'
complete -c condor_releaseexpr -o lint -d 'Look at an expression, or at the policies in a submit description or a configuration file'
complete -c condor_releaseexpr -o explain -d 'Say of the held jobs named, or with -jobads of all held jobs of a file, why their policies do or do not release them'
complete -c condor_releaseexpr -o replay -d 'Say what a release expression, or the release policies in a submit description or a configuration file, would have done with the holds in job event logs'
complete -c condor_releaseexpr -o suggest -d 'Suggest a release policy from how the holds in job event logs ended; for the hold reasons of the held jobs that are named, or with -jobads of those of a file, else for all'
complete -c condor_releaseexpr -o userlog -d 'Read holds from this job event log; a single dash reads standard input'
complete -c condor_releaseexpr -o eventlog -d 'Read holds from this event log of the access point and its rotated files, instead of the file that EVENT_LOG names'
complete -c condor_releaseexpr -o epochs -d 'Read the ClassAds of earlier runs from this file, as condor_history -epochs -long or -json writes them'
complete -c condor_releaseexpr -o name -d 'Ask the condor_schedd with this name'
complete -c condor_releaseexpr -o pool -d 'Find the condor_schedd through the collector on this host'
complete -c condor_releaseexpr -o jobads -d 'Read job ClassAds from a file instead of the queue, as condor_q -long, -json or -xml writes them'
complete -c condor_releaseexpr -o config -d 'Read the policies of the access point from this file, a configuration file or what condor_config_val -dump wrote, instead of the configuration here'
complete -c condor_releaseexpr -o now -d 'Explain as of this time'
complete -c condor_releaseexpr -o kind -d 'What an expression is for'
complete -c condor_releaseexpr -o condor -d 'By the rules of this version of HTCondor, 23.9 or 25'
complete -c condor_releaseexpr -o form -d 'Suggest a line of a submit description (submit, the default), knobs of the access point (system), or a job transform that sets it for jobs that have none (transform)'
complete -c condor_releaseexpr -o advice -d 'Ask the model of condor_holdadvise about each hold ten minutes, an hour, six hours and a day after it'
complete -c condor_releaseexpr -o model -d 'Judge with the model in this TorchScript archive'
complete -c condor_releaseexpr -o cost -d 'Decide with this cost of being wrong, in hours'
complete -c condor_releaseexpr -o json -d 'Print the findings or the explanations as one JSON array, what was replayed or suggested as one object'
complete -c condor_releaseexpr -o jsonl -d 'With -replay, print a JSON object for each hold on a line of its own'
complete -c condor_releaseexpr -o wide -d 'Do not fit lines to the terminal (text to 100 columns at most, everything to 80 where there is no terminal)'
complete -c condor_releaseexpr -o rules -d 'Print the rules of -lint, their severities and where they are from, and exit'
complete -c condor_releaseexpr -o help -d 'Print usage information and exit'
complete -c condor_releaseexpr -o version -d 'Print the version and exit'
