// Package storm puts a load on real processes while it kills, stops and starves them,
// and then compares the answers to callers with the stored state.
//
// One NATS server, dispatchers and workers run as processes on loopback. Callers mix
// reads, calls with side effects, chosen call_ids, repeated requests, lookups and
// cancellations; a request that fails is sent again to another dispatcher. Meanwhile
// processes are killed, sometimes two at the same instant, the server is killed and
// restarted, workers are stopped for longer than the queue waits for a heartbeat, and
// the results stream is full.
//
// It counts calls without a result, effects that happened twice, answers that differ
// from the stored result, calls with two final records or none, histories that are
// impossible for a value that is written once, and problems in the sealed audit trail. It knows
// the contract only: HTTP, the streams' subjects and the ledger of debug.effect. Each wait and each loop is bounded.
package storm
