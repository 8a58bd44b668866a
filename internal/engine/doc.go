// Package engine turns a graph into something that runs: it places nodes on
// providers, makes kernels, plans memory for each set of input shapes and replays
// the plan. It knows operators only through their definitions and kernels only
// through the contract in package ep.
package engine
