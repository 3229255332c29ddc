// Package peer holds the requests that processes of Helve send each other over core NATS: which
// process has a call and what workers run, the operations of the API, calls of tools in remote
// processes with their progress, conversations about personal data and files, accounts of people,
// public keys, and messages that dispatchers pass on between accounts of NATS.
//
// It promises that each request ends: with an answer, with an error or none where nobody
// answers, or with its context. A side that dies is noticed by the other, and a stranger's
// message makes no process publish to a subject of the stranger's choice.
//
// It does not store anything: what must survive a process is in package queue, and a request
// without an answer may have been carried out or not. It does not decide who may ask: the
// permissions of NATS and the operations do.
package peer
