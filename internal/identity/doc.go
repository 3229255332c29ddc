// Package identity says who asks: the tenant, the person or agent, and the
// roles that go with a credential. A credential is an API key, kept as a hash in
// a file, or a token that an OpenID Connect issuer signed.
//
// It promises that a request never gains more than its credential holds. What a
// request says of itself goes through [Principal.Narrow]:
//
//	the credential says   the request says    who acts
//	tenant t              nothing, or t       tenant t
//	tenant t              another tenant      forbidden, for every role
//	user u                nothing, or u       u
//	user u                another user        forbidden, for every role
//	no user               a user              that user: a front end works for many
//	agent a               nothing, or a       a
//	agent a               another agent       forbidden, for every role
//	no agent              an agent            that agent: its tools are a part of all
//	open (loopback)       a user, an agent    them; the tenant is what the way it came by says
//
// So nobody makes calls as another person: approvers and admins, who decide for
// others, do that under their own name, and operations let them by their role.
// That is also why a token without its user claim is refused, while an API key
// may be made without a user on purpose.
//
// It promises that no credential and no part of one reaches a log or an error,
// that a key file can change while the process runs, and that an issuer that is
// slow, down or flooded with made-up tokens harms neither API keys nor itself.
//
// It does not decide which operation needs which role; the operations do. It
// keeps no sessions and issues no tokens.
package identity
