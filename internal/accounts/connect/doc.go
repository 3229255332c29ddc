// Package connect connects accounts of people at services, on a dispatcher: the way through
// a browser and the way of terminals, the replacement of tokens for all workers, and the end
// of a connection.
//
//	person      GET /v1/connect/{id}      a state is stored, the browser goes to the provider
//	callback    GET /v1/connect/callback  the state is used up, the code exchanged, the account stored
//	worker      requests an account       its token is replaced by one dispatcher, for all
//
// Accounts are entries of helve_services, encrypted; states, devices and locks are in
// helve_connects, which expires by itself and which only dispatchers can write.
//
// # What it promises
//
// A state is used once, by the person who started, and for the service it was made for. New
// tokens are stored before anybody gets them. However many workers need a token, one
// dispatcher requests it; if that one dies, another one does. If it dies between the
// provider's answer and the store, the other one sends the old refresh token again: a
// provider with a grace for that answers, and for another one the person connects the
// account again. A registration that was changed makes its accounts unusable: no token is
// sent to a new address.
//
// # What it does not promise
//
// A token that was handed to a tool is valid until it ends, also after the person has
// disconnected the account, if the provider cannot revoke it.
package connect
