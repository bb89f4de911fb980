# Written by `cargo run --example completions`; change the tables in src/cli instead.

# What may stand at the place of the cursor: @files, or words.
function __condor_holdadvise_offered
    set -l words (commandline -opc)
    set -l at (count $words)
    while test $at -gt 1; and not string match -q -- '-?*' $words[$at]
        set at (math $at - 1)
    end
    set -l places
    switch (string replace -r ':.*' '' -- $words[$at])
        case -j -jo -job -joba -jobad -jobads --jobads
            set places '@files' ''
        case -u -us -use -user -userl -userlo -userlog --userlog
            set places '@files' ''
        case -ev -eve -even -event -eventl -eventlo -eventlog --eventlog
            set places '@files' ''
        case -ep -epo -epoc -epoch -epochs --epochs
            set places '@files' ''
        case -mo -mod -mode -model --model
            set places '@files' ''
        case -ch -che -chec -check -checks --checks
            set places 'own local all none' ''
        case -dag --dag
            set places '@files' ''
        case -by --by
            set places 'machine site advice cause code owner' ''
        case -ht -htm -html --html
            set places '@files' ''
        case -af --af
            set places 'SchemaVersion ClusterId ProcId Owner HoldReasonCode HoldReasonSubCode HoldReason NumHolds HeldSince DAGManJobId Recommendation RecommendedAction Undecided Success SuccessLater Band Costs ExpectedCosts Decision CatalogueEntry Diagnosis Meaning Evidence Inputs CorrectBefore Change Commands CommandsAfter Try Look WaitFor WaitUntil LikelyFrom LookAgain HTCondorWill Trust EventLog Missing Notes TrainedOn OutcomesHere'
        case -autof -autofo -autofor -autoform -autoforma -autoformat --autoformat
            set places 'SchemaVersion ClusterId ProcId Owner HoldReasonCode HoldReasonSubCode HoldReason NumHolds HeldSince DAGManJobId Recommendation RecommendedAction Undecided Success SuccessLater Band Costs ExpectedCosts Decision CatalogueEntry Diagnosis Meaning Evidence Inputs CorrectBefore Change Commands CommandsAfter Try Look WaitFor WaitUntil LikelyFrom LookAgain HTCondorWill Trust EventLog Missing Notes TrainedOn OutcomesHere'
        case -f -fo -for -form -forma -format --format
            set places '' 'SchemaVersion ClusterId ProcId Owner HoldReasonCode HoldReasonSubCode HoldReason NumHolds HeldSince DAGManJobId Recommendation RecommendedAction Undecided Success SuccessLater Band Costs ExpectedCosts Decision CatalogueEntry Diagnosis Meaning Evidence Inputs CorrectBefore Change Commands CommandsAfter Try Look WaitFor WaitUntil LikelyFrom LookAgain HTCondorWill Trust EventLog Missing Notes TrainedOn OutcomesHere' ''
        case -app -appl -apply --apply
            set places 'release try change remove' ''
        case -check --check
            set places '@files' ''
    end
    set -l place (math (count $words) - $at + 1)
    if test $place -gt (count $places)
        set place -1
    end
    string split -n ' ' -- $places[$place]
end
function __condor_holdadvise_files
    string match -q -- @files (__condor_holdadvise_offered)
end
complete -c condor_holdadvise -f
complete -c condor_holdadvise -n __condor_holdadvise_files -F
complete -c condor_holdadvise -n 'not __condor_holdadvise_files' -a '(__condor_holdadvise_offered)'
complete -c condor_holdadvise -o allusers -d 'Look at the held jobs of all users, not only at one'\''s own'
complete -c condor_holdadvise -o constraint -d 'Look only at jobs for which the ClassAd expression is true'
complete -c condor_holdadvise -o hold -d 'Look at held jobs, as without it'
complete -c condor_holdadvise -o limit -d 'Judge at most this many jobs'
complete -c condor_holdadvise -o advice -d 'Print only jobs with this advice'
complete -c condor_holdadvise -o name -d 'Ask the condor_schedd with this name'
complete -c condor_holdadvise -o pool -d 'Find the condor_schedd through the collector on this host'
complete -c condor_holdadvise -o jobads -d 'Read job ClassAds from a file instead of the queue, as condor_q -long, -json or -xml writes them'
complete -c condor_holdadvise -o userlog -d 'Read the job'\''s history from this job event log'
complete -c condor_holdadvise -o eventlog -d 'Read what goes on around the job from this event log of the access point, instead of the file that EVENT_LOG names'
complete -c condor_holdadvise -o epochs -d 'Read the ClassAds of earlier runs from this file, as condor_history -epochs -long or -json writes them'
complete -c condor_holdadvise -o model -d 'Judge with the model in this TorchScript archive'
complete -c condor_holdadvise -o cost -d 'Decide with this cost of being wrong, in hours'
complete -c condor_holdadvise -o checks -d 'What is looked at now on the access point'
complete -c condor_holdadvise -o now -d 'Judge as of this time, and read nothing later'
complete -c condor_holdadvise -o nobatch -d 'Print one line for each job'
complete -c condor_holdadvise -o totals -d 'Print how many jobs there are for each advice and hold reason code, or what -by names, in place of the jobs'
complete -c condor_holdadvise -o incidents -d 'Print what holds jobs, over users and clusters'
complete -c condor_holdadvise -o why -d 'Print all that an advice rests on too'
complete -c condor_holdadvise -o watch -d 'Stay, ask the queue again every so many seconds (60, or the number after a colon), and print what changed'
complete -c condor_holdadvise -o workflow -d 'Print what is wrong where, before the advice'
complete -c condor_holdadvise -o dag -d 'The same for the jobs of this DAG file, from the logs that its submit files name, else its nodes log (FILE.nodes.log)'
complete -c condor_holdadvise -o by -d 'What -workflow and -totals count by'
complete -c condor_holdadvise -o html -d 'Write the advice as a page too'
complete -c condor_holdadvise -o profile -d 'Print what binds scripts and jobs instead of advice'
complete -c condor_holdadvise -o pairs -d 'With -profile, print which of the jobs may share a host'
complete -c condor_holdadvise -o wide -d 'Do not fit lines to the terminal (text to 100 columns at most, everything to 80 where there is no terminal)'
complete -c condor_holdadvise -o long -d 'Print each advice as a ClassAd'
complete -c condor_holdadvise -o json -d 'Print the advices as one JSON array'
complete -c condor_holdadvise -o jsonl -d 'Print each advice as a JSON object on a line of its own'
complete -c condor_holdadvise -o af -d 'Print attributes of each advice or of its job'\''s ad, or ClassAd expressions over both, separated by a space'
complete -c condor_holdadvise -o format -d 'Print an attribute or expression, as -af takes them, through a printf(3) format'
complete -c condor_holdadvise -o apply -d 'Carry the advice out instead of printing it, of one'\''s own jobs, with -allusers of all'
complete -c condor_holdadvise -o dagnode -d 'Look only at the held jobs of this node of this DAG, for a HOLD script of DAGMan'
complete -c condor_holdadvise -o outcomes -d 'Print what came of the releases of the journal, by hold code, version of HTCondor and advice'
complete -c condor_holdadvise -o dry-run -d 'Print what -apply would do, and do nothing'
complete -c condor_holdadvise -o max -d 'Act on at most this many jobs'
complete -c condor_holdadvise -o yes -d 'Do not ask before acting'
complete -c condor_holdadvise -o help -d 'Print usage information and exit'
complete -c condor_holdadvise -o catalogue -d 'Print the entries of the catalogue of texts'
complete -c condor_holdadvise -o check -d 'With -catalogue, test the entries of this file with their own examples'
complete -c condor_holdadvise -o version -d 'Print the version and what the model was trained on, and exit; with -model also the model'\''s info sheet'
complete -c condor_holdadvise -o debug -d 'Write to standard error what is run and read'
