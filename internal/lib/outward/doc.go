// Package outward sends the requests of tools to outside services whose accounts are in
// the config center.
//
// It promises that credentials are sent to the address of their entry and nowhere else;
// that a GET is tried at most three times and only on 503, and nothing else twice; that an
// answer is read up to a bound; that a failure has the kind by which agents decide:
// not_configured for a missing or refused account, rate_limited with the seconds to wait,
// network_error for a server that fails, execution_error for an answer that makes no sense,
// timeout; and that no error holds a secret. An entry of the tenant may have an internal
// address, an entry of a person may not.
//
// It does not promise that an answer is true or harmless.
package outward
