// Package consent asks people: it parks a call that needs one, keeps the inbox
// of what waits, and carries out what was decided.
//
// # The way of a parked call
//
//	worker      Park: the call is stored as data, the person asked, the queue let go of it
//	person      Decide, on any dispatcher: one once-only verdict, the first wins
//	dispatcher  a grant is remembered, a token minted for this one call, the call queued again;
//	            any other verdict becomes the call's result
//	worker      the token lets it through the gate
//
// Expiry and cancellation are verdicts too, so a parked call ends in exactly
// one way.
//
// # What it promises
//
// A parked call holds no goroutine, slot or connection, and survives the
// restart of every process. A verdict that was stored is carried out, by
// whichever dispatcher is there. At most the configured number of requests of
// one user wait at a time.
//
// # What it does not promise
//
// That a request is shown: front ends subscribe or ask for the inbox. A call
// that expired may still be shown for a moment.
package consent
