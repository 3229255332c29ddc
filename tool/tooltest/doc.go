// Package tooltest tests tools: [Run] runs a table of calls of one tool and [Play] a
// single call, [Golden] pins the definitions of a set, and [Files], [Clock], [Doer] and
// [Events] are fakes of the ports. [Store] is the real store in a database of the test. [TestFiles] tests that any [tool.Files], in memory
// or on disk, keeps its contract.
//
// Arguments are processed as on a worker: the schema of the definition is compiled, the
// arguments are validated and get their defaults, and the result is decoded into the
// tool's own type.
//
// It does not simulate policy, confirmation, retries or the network; a case that passes
// here may still be refused on a worker. The fakes are for one goroutine at a time,
// except for [Events].
package tooltest
