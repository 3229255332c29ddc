package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/helve-dev/helve/protocol"
)

// Grant is a remembered decision about a permission or a tool: a person allows it, or
// with Deny refuses it, without being asked again.
type Grant = protocol.Grant

// Grants returns the grants of a user, or with an empty name all that the caller may
// see.
func (c *Client) Grants(ctx context.Context, user string) ([]Grant, error) {
	var told protocol.GrantList
	body, err := c.ask(ctx, list("grants.list", "/v1/grants", given(map[string]string{"user": user})))
	if err != nil {
		return nil, err
	}
	return told.Grants, decode(body, &told)
}

// RevokeGrant revokes a grant, as the user of the client's [Context]. An unknown grant
// is a [*RequestError] of type [NotFound].
func (c *Client) RevokeGrant(ctx context.Context, id string) error {
	if !callIDPattern.MatchString(id) {
		return misused("grant_id %.140q must have 1 to 128 letters, digits, underscores and hyphens", id)
	}
	op := operation{
		name: "grants.revoke", fields: given(map[string]string{"grant_id": id, "by": c.who.User}),
		method: http.MethodDelete, path: "/v1/grants/" + id,
	}
	if c.who.User != "" {
		op.path += "?by=" + url.QueryEscape(c.who.User)
	}
	_, err := c.ask(ctx, op)
	return err
}
