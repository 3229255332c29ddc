// Package identity identifies callers: the tenant, the person or agent, and the roles
// of a credential. A credential is an API key, stored as a hash in a file, or a token
// signed by an OpenID Connect issuer.
//
// It promises that a request never has more rights than its credential. The identity
// named in a request goes through [Principal.Narrow]:
//
//	the credential        the request         acting
//	tenant t              nothing, or t       tenant t
//	tenant t              another tenant      forbidden, for every role
//	user u                nothing, or u       u
//	user u                another user        forbidden, for every role
//	no user               a user              that user: a front end works for many
//	agent a               nothing, or a       a
//	agent a               another agent       forbidden, for every role
//	no agent              an agent            that agent: its tools are a part of all
//	open (loopback)       a user, an agent    them; the transport names the tenant
//
// The same table decides whose calls a caller reaches, see [Principal.SpeaksFor]; for
// others a call does not exist. Admins and auditors see those of their tenant.
//
// So nobody can make calls as another person: approvers and admins, who decide for
// others, do that under their own name, and operations allow it by their role. For the
// same reason a token without its user claim is refused, while an API key may be made
// without a user on purpose.
//
// It promises that no credential and no part of a credential reaches a log or an error,
// that a key file can change while the process runs, and that an issuer that is slow,
// down or flooded with forged tokens harms neither API keys nor itself.
//
// It does not decide which operation needs which role; the operations do. It keeps no
// sessions and issues no tokens.
package identity
