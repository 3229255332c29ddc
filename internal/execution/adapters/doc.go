// Package adapters implements the interfaces of package execution over NATS: deliveries, results,
// audit records, fences, owners, events, storage and lanes, and the parking of a call.
//
// It promises that errors of NATS are those that package execution decides by. It makes no decision
// about a call that package execution makes, and keeps no state.
package adapters
