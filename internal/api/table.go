package api

import "net/http"

// operations is the table: what is not in it cannot be asked for.
var operations = []Operation{
	{Name: Execute, Method: http.MethodPost, Path: "/v1/execute", Body: true, Changes: true, Roles: callers, run: (*Service).execute},
	{Name: "tools.list", Method: http.MethodGet, Path: "/v1/tools", Params: []string{"format", "agent", "group", "category", "q"}, Roles: callers, run: (*Service).listTools},
	{Name: "tools.get", Method: http.MethodGet, Path: "/v1/tools/{name}", Params: []string{"name"}, Roles: callers, run: (*Service).getTool},
	{Name: "calls.get", Method: http.MethodGet, Path: "/v1/calls/{call_id}", Params: []string{"call_id"}, Roles: callers, run: (*Service).getCall},
	{Name: "calls.cancel", Method: http.MethodPost, Path: "/v1/calls/{call_id}/cancel", Params: []string{"call_id"}, Changes: true, Roles: callers, run: (*Service).cancelCall},
	{Name: Events, Method: http.MethodGet, Path: "/v1/events", Params: []string{"trace_id"}, Roles: callers, run: (*Service).refuseEvents},

	{Name: "consent.list", Method: http.MethodGet, Path: "/v1/consents", Params: []string{"status", "user", "agent", "tool", "limit", "cursor"}, Numbers: []string{"limit"}, Roles: onlookers, run: (*Service).listConsents},
	{Name: "consent.get", Method: http.MethodGet, Path: "/v1/consents/{consent_id}", Params: []string{"consent_id", "user"}, Roles: onlookers, run: (*Service).getConsent},
	{Name: "consent.decide", Method: http.MethodPost, Path: "/v1/consents/{consent_id}/decision", Params: []string{"consent_id"}, Body: true, Changes: true, Roles: deciders, run: (*Service).decideConsent},
	{Name: "tokens.mint", Method: http.MethodPost, Path: "/v1/tokens", Body: true, Changes: true, Roles: deciders, run: (*Service).mintToken},
	{Name: "grants.list", Method: http.MethodGet, Path: "/v1/grants", Params: []string{"user"}, Roles: keepers, run: (*Service).listGrants},
	{Name: "grants.revoke", Method: http.MethodDelete, Path: "/v1/grants/{grant_id}", Params: []string{"grant_id", "by"}, Changes: true, Roles: keepers, run: (*Service).revokeGrant},

	{Name: "audit.query", Method: http.MethodGet, Path: "/v1/audit", Params: auditParams, Numbers: auditNumbers, Roles: auditors, run: (*Service).queryAudit},
	{Name: "audit.verify", Method: http.MethodGet, Path: "/v1/audit/verify", Roles: auditors, run: (*Service).verifyAudit},
	{Name: "audit.export", Method: http.MethodGet, Path: "/v1/audit/export", Params: auditParams, Numbers: auditNumbers, Roles: auditors, run: (*Service).exportAudit},
	{Name: "audit.public_key", Method: http.MethodGet, Path: "/v1/audit/public-key", Roles: auditors, run: (*Service).auditKey},

	{Name: "agents.list", Method: http.MethodGet, Path: "/v1/agents", Roles: watchers, run: (*Service).listAgents},
	{Name: "agents.get", Method: http.MethodGet, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Roles: watchers, run: (*Service).getAgent},
	{Name: "agents.put", Method: http.MethodPut, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Body: true, Changes: true, Roles: admins, run: (*Service).putAgent},
	{Name: "agents.delete", Method: http.MethodDelete, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Changes: true, Roles: admins, run: (*Service).deleteAgent},
	{Name: "groups.list", Method: http.MethodGet, Path: "/v1/groups", Params: []string{"tool"}, Roles: callers, run: (*Service).listGroups},

	{Name: "remote.register", Method: http.MethodPost, Path: "/v1/remote/register", Body: true, Changes: true, Roles: providers, run: (*Service).registerRemote},
	{Name: "remote.unregister", Method: http.MethodPost, Path: "/v1/remote/unregister", Body: true, Changes: true, Roles: providers, run: (*Service).unregisterRemote},

	{Name: "upstream.list", Method: http.MethodGet, Path: "/v1/upstream", Params: []string{"name"}, Roles: admins, run: (*Service).listUpstream},
	{Name: "upstream.accept", Method: http.MethodPost, Path: "/v1/upstream/{name}/accept", Params: []string{"name"}, Body: true, Changes: true, Roles: admins, run: (*Service).acceptUpstream},
}
