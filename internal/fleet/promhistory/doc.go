// Package promhistory reads what the workers did from a Prometheus, in the form of the stored history.
//
// It sends nine range queries over the HTTP API of Prometheus (/api/v1/query_range), for the
// series that package history stores too: calls per second, times, backlog, busy and all slots of
// each pool.
//
// It promises that it sends requests to the address of the operator only: redirects are
// not followed. That an answer is bounded: [maxAnswer] bytes of each query, [patience] for all of them,
// and the 16 pools with the most calls. That Prometheus is asked once in [fresh], however many
// read; and that without its answer the reader gets the stored history, with a note.
//
// It does not promise the very numbers of the stored history: Prometheus has samples where that counts, so
// rates of the last hour are those of four minutes each.
package promhistory
