// Package parallel is the one worker pool of a process.
//
// A kernel cuts its work into an index range and hands the range to
// [Pool.For]; the calling goroutine works on it together with whichever
// shared workers are free. There is one crew of workers for all pools: a Pool
// is only a limit on how many threads one session may occupy, so ten open
// sessions do not start ten sets of goroutines.
//
// Three properties shape the code:
//
//   - The caller never depends on a worker. It posts the range, works on it
//     itself, and at the end waits only for workers that really joined. Nested
//     calls therefore cannot deadlock, and a worker that the operating system
//     has taken off its core delays at most the chunk it holds.
//   - Waking a sleeping thread costs more than a small operator. Workers look
//     out for the next range for some microseconds before they park.
//   - Nothing is left behind. Workers start when first needed, go away after
//     some idle seconds, and are gone once every pool is closed.
package parallel
