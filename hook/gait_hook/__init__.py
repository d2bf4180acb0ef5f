"""What `gait record` puts into a PyTorch job: it counts and times steps, traces a few, and goes.

start      waits for the job to import torch.optim.optimizer
inside     begins and ends a recording where the job itself says so
ranks      what its ranks know of each other then

recording/ the plan, the clock and the file; knows the other two
  recorder   the plan: warm-up, rounds of untraced and traced steps, samples, data flow, replacements, the rest
  cycle      which optimizer's step ends a step of the training
  timers     what is timed without the tracer, and putting the originals back
  tracer     a traced block, its marks, the cost of one event
  forked     what a forked child must not inherit
  fetching   whether the items of its data set could be prepared once
  draws      random numbers in the making of an item
  process_settings what debugging left on, and other settings of the process
  other_programs CPUs that other programs took meanwhile
  turns      steps in turns with another job's, for `gait verify --ab`
  peak_memory the largest memory in these steps
  result     the file that the program reads afterwards

observing/ what the job's steps do; knows nothing of the other two
  sampler    where the thread that trains is, every few milliseconds
  flow*      what the operators of a few steps read, write and make
  capture    what the model is called with, for one step
  chains     elementwise calls in a row, in the same step
  lengths    how far the rows of its batches are padded
  losses     what backward() was called on, step by step
  movement   how far parameters have moved (parameter_names: what they are called)
  low_precision the lowest that traced operators computed in

measuring/ other ways, in turns with the job's own; knows what was observed
  measure    all of them, within the seconds that there are
  bench      two ways of one thing, timed in turns
  attention, linear, chain, optimizer, precision, settings, threads, batch: one each
  model_copy a copy of the model, and measuring it in turns
  spellings  the one call that does what a chain does
  probes     whether it does so for other numbers too
  without    steps of the job without calls whose results are there already (left_out)

beside     what keeps the job as it is while something else runs in its thread
cores      CPUs and cores that the process may use, and how many processes share them
free_memory what copies may take
control_groups the groups whose limits hold for the process
contract   names of the file, which the program shares

The job comes first. Whatever goes wrong in here ends the recording, never the job.
"""
