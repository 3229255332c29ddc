// Package consent asks people to approve calls: it parks a call that needs an approval,
// keeps the inbox of pending requests, and carries out the decisions.
//
// # The way of a parked call
//
//	worker      Park: the call is stored as data, the person asked, the queue let go of it
//	person      Decide, on any dispatcher: one once-only verdict, the first wins
//	dispatcher  a grant is remembered, a token minted for this one call, the call queued again;
//	            any other verdict becomes the call's result
//	worker      the token lets it through the gate
//
// Expiry and cancellation are verdicts too, so a parked call ends in exactly one way.
//
// # What it promises
//
// A parked call holds no goroutine, slot or connection, and survives the restart of
// every process. A stored verdict is carried out by any running dispatcher. The number
// of pending requests of one user is bounded by the configuration.
//
// # What it does not promise
//
// That a request is shown: front ends subscribe to the inbox or poll it. An expired
// request may still be shown for a moment.
package consent
