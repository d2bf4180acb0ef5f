"""What `gait record` puts into a PyTorch job: it counts and times steps, traces a few, and goes.

start      waits for the job to import torch.optim.optimizer
recorder   the plan: warm-up, rounds of untraced and traced steps, samples, data flow, replacements, the rest
cycle      which optimizer's step ends a step of the training
timers     what is timed without the tracer, and putting the originals back
tracer     a traced block, its marks, the cost of one event
forked     what a forked child must not inherit
capture    what the model is called with, for one step
chains     elementwise calls in a row, in the same step
spellings  the one call that does what such a chain does
probes     whether it does so for other numbers too
sampler    where the thread that trains is, every few milliseconds
flow*      what the operators of a few steps read, write and make
lengths    how far the rows of its batches are padded
fetching   whether the items of its data set could be prepared once
draws      random numbers in the making of an item
model_copy a copy of the model, and measuring it in turns
replace*   other ways to do what the job does, measured with the job's own shapes
process_settings what debugging left on, and other settings of the process
cores      CPUs and cores that the process may use, and how many processes share them
other_programs CPUs that other programs took meanwhile
free_memory what copies may take
control_groups the groups whose limits hold for the process
result     the file that the program reads afterwards
contract   its names, which the program shares

The job comes first. Whatever goes wrong in here ends the recording, never the job.
"""
