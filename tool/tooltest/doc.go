// Package tooltest tests tools: [Run] plays a table of calls against one tool and
// [Play] a single call, [Golden] pins the definitions of a set, and [Files],
// [Clock], [Doer] and [Events] stand in for the ports. [TestFiles] holds any
// [tool.Files] to the contract, the one here and the ones that touch disks alike.
//
// Arguments take the same way as on a worker: the schema of the definition is
// compiled, the arguments are validated and get their defaults, and what is
// left is decoded into the tool's own type.
//
// It does not play policy, confirmation, retries or the network; a case that
// passes here may still be refused on a worker. The fakes are for one
// goroutine at a time, except for [Events].
package tooltest
