// Package story tests one afternoon of a person and an assistant, on a system of two
// dispatchers and two workers: the assistant reads a page, translates it, mails it, looks
// into a calendar of the person and calls an API, and finds each service missing first.
//
// It promises that what `helve config set` stores works on every worker without a restart,
// that a person's yes and a connected account let a call go on, and that no secret is
// among what was said. Each step by itself is tested in other folders.
package story
