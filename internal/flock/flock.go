// Package flock takes the operating system's locks on open files. They end with the
// process that holds them, however that ends.
package flock
