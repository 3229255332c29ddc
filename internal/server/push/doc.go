// Package push sends requests for consent to the devices of the people who are asked, as
// web push: RFC 8030, encrypted by RFC 8291, signed by RFC 8292.
//
// One dispatcher takes each request, by a durable consumer that all share. So a push
// service that is slow or away delays no consent, and a dispatcher that dies leaves its
// requests to another one.
//
// # What it promises
//
// Only the device can read a notification, and only the person who is asked gets one. It
// has the sentence of the consent in the language in which the device has subscribed. The
// push service drops it when the consent expires. A person has at most [Devices] devices;
// one more replaces the oldest. A device that its push service does not know any more is
// removed. An endpoint is an address that a person gives: requests go to public addresses
// over TLS only, follow no redirect, and read nothing of an answer but its status.
//
// The private key of the installation is stored encrypted with the master key, in a bucket that
// only dispatchers read. Without a master key nobody can subscribe.
//
// # What it does not promise
//
// A notification can be lost: the push service may drop it, and a service that does not take
// it within [patience] is not asked again. After the death of a dispatcher it can be sent
// twice; both have the same tag, so the device shows one.
package push
