package services

import (
	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/tool"
)

// presets returns the providers whose addresses are known: only client_id, client_secret
// and scopes have to be set. docs/accounts.md has the pages where Helve is registered.
func presets() []tool.Service {
	return []tool.Service{
		provider("google", "Google", "Accounts of Google that people connect, for Gmail, Calendar, Drive and others.", map[string]string{
			FieldIssuer:           "https://accounts.google.com",
			FieldAuthorizationURL: "https://accounts.google.com/o/oauth2/v2/auth",
			FieldTokenURL:         "https://oauth2.googleapis.com/token",
			FieldRevocationURL:    "https://oauth2.googleapis.com/revoke",
			FieldDeviceURL:        "https://oauth2.googleapis.com/device/code",
			FieldUserInfoURL:      "https://openidconnect.googleapis.com/v1/userinfo",
			FieldBaseURL:          "https://www.googleapis.com",
			FieldScopes:           "openid email",
			FieldTokenAuth:        oauth.Post,
			FieldParams:           "access_type=offline&prompt=consent", // without both there is no refresh token the second time
		}),
		provider("microsoft", "Microsoft", "Accounts of Microsoft that people connect, for Outlook, OneDrive, Teams and others.",
			map[string]string{
				FieldAuthorizationURL: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
				FieldTokenURL:         "https://login.microsoftonline.com/common/oauth2/v2.0/token",
				FieldDeviceURL:        "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode",
				FieldUserInfoURL:      "https://graph.microsoft.com/oidc/userinfo",
				FieldBaseURL:          "https://graph.microsoft.com/v1.0",
				FieldScopes:           "openid email offline_access",
				FieldTokenAuth:        oauth.Post,
			}),
		provider("github", "GitHub", "Accounts of GitHub that people connect.", map[string]string{
			FieldAuthorizationURL: "https://github.com/login/oauth/authorize",
			FieldTokenURL:         "https://github.com/login/oauth/access_token",
			FieldDeviceURL:        "https://github.com/login/device/code",
			FieldUserInfoURL:      "https://api.github.com/user",
			FieldBaseURL:          "https://api.github.com",
			FieldTokenAuth:        oauth.Post,
		}),
		provider("slack", "Slack", "Accounts of Slack that people connect, as the person and not as a bot.", map[string]string{
			FieldAuthorizationURL: "https://slack.com/oauth/v2_user/authorize",
			FieldTokenURL:         "https://slack.com/api/oauth.v2.user.access",
			FieldBaseURL:          "https://slack.com/api",
			FieldTokenAuth:        oauth.Post,
		}),
		provider("notion", "Notion", "Accounts of Notion that people connect.", map[string]string{
			FieldAuthorizationURL: "https://api.notion.com/v1/oauth/authorize",
			FieldTokenURL:         "https://api.notion.com/v1/oauth/token",
			FieldRevocationURL:    "https://api.notion.com/v1/oauth/revoke",
			FieldBaseURL:          "https://api.notion.com/v1",
			FieldTokenAuth:        oauth.Basic,
			FieldParams:           "owner=user",
		}),
	}
}
