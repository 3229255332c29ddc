package protocol

import "time"

// Me answers me: who the caller is.
type Me struct {
	User   string   `json:"user" doc:"The person; empty if the credential names none."`
	Tenant string   `json:"tenant" doc:"The tenant."`
	Roles  []string `json:"roles" doc:"The roles that the caller holds."`
	// Authenticated is false only where no credential is required.
	Authenticated bool   `json:"authenticated" doc:"false where no credential is required, so that the caller may name any person."`
	SignIn        SignIn `json:"sign_in" doc:"How people can sign in with a browser."`
	Version       string `json:"version" doc:"The version of the dispatcher."`
	Name          string `json:"name" doc:"The name of the credential."`
	Agent         string `json:"agent,omitempty" doc:"The agent; absent if the credential names none."`
	// SessionEndsAt is set if a session cookie identified the caller.
	SessionEndsAt *time.Time `json:"session_expires_at,omitzero" doc:"When the session of the browser ends; absent without a session."`
}

// SignIn lists the ways of signing in with a browser.
type SignIn struct {
	OIDC bool `json:"oidc" doc:"Whether people can sign in at an OpenID Connect issuer, at /login/oidc."`
	Key  bool `json:"key" doc:"Whether people can sign in with an API key, at /login."`
}
