package preview

import (
	"strings"
	"testing"
)

// TestRedactShell checks the secrets of commands, and texts that only look like secrets.
func TestRedactShell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"curl -u user:pw https://h/":                    "curl -u user:• https://h/",
		"curl --user 'user:two words' https://h/":       "curl --user 'user:•' https://h/",
		"curl -uuser:pw https://h/":                     "curl -uuser:• https://h/",
		"curl --proxy-user=user:pw https://h/":          "curl --proxy-user=user:• https://h/",
		"smbclient -U user%pw //h/share":                "smbclient -U user%• //h/share",
		"docker run -u 1000:1000 -p 8080:80 image":      "docker run -u 1000:1000 -p 8080:80 image",
		"sudo -u postgres psql":                         "sudo -u postgres psql",
		"mysql -h db -u root -ps3cret app":              "mysql -h db -u root -p• app",
		"/usr/bin/mysqldump -p'two words' app":          "/usr/bin/mysqldump -p'•' app",
		"mysql -p app":                                  "mysql -p app",
		"sshpass -p s3cret ssh -p 2222 host":            "sshpass -p • ssh -p • host",
		"mkdir -p a/b; cp -pr a b":                      "mkdir -p a/b; cp -pr a b",
		"mysql -ps3cret; mkdir -pv x":                   "mysql -p•; mkdir -pv x",
		"ls | redis-cli -a s3cret ping":                 "ls | redis-cli -a • ping",
		"docker login -u u -p s3cret registry":          "docker login -u u -p • registry",
		"tool --password s3cret --verbose":              "tool --password • --verbose",
		"tool -password s3cret":                         "tool -password •",
		"tool --password\ts3cret":                       "tool --password\t•",
		"openssl enc -pass pass:s3cret":                 "openssl enc -pass •",
		"TOKEN=s3cret ./run && API_KEY='a b' ./run":     "TOKEN=• ./run && API_KEY='•' ./run",
		`curl -H "Authorization: Bearer s3cret99"`:      `curl -H "Authorization: Bearer •"`,
		"https://h/p#access_token=s3cret&state=x":       "https://h/p#access_token=•&state=•",
		"https://h/p#/reset/0a1b2c3d4e5f6a7b8c":         "https://h/p#•",
		"https://h/p?a=1#section-2":                     "https://h/p?a=1#section-2",
		"https://h/p#code=s3cret end #code=1":           "https://h/p#code=• end #code=1",
		"issue #1234567890abcdef1234 is no fragment":    "issue #1234567890abcdef1234 is no fragment",
		"7z a -ps3cret out.7z":                          "7z a -p• out.7z",
		"tool --password --exec=evil":                   "tool --password --exec=evil",
		"mysql -p$(reboot)":                             "mysql -p$(reboot)",
		"curl -u user:$(reboot) https://h/":             "curl -u user:$(reboot) https://h/",
		"curl -u https://evil.example/x":                "curl -u https://evil.example/x",
		"sshpass -p https://evil.example/x.sh ssh host": "sshpass -p https://evil.example/x.sh ssh host",
		"mysql -ps3cret;reboot":                         "mysql -p•;reboot",
	} {
		got, some := redact(text, "")
		if got = strings.ReplaceAll(got, "\xff", "•"); got != want || some != (want != text) {
			t.Errorf("redact(%q) = %q, %v, want %q", text, got, some, want)
		}
	}
}

// TestOfHidesInLists checks options and their values that are items of a list.
func TestOfHidesInLists(t *testing.T) {
	t.Parallel()
	p := of(t, `{"args":["--password","s3cret two","--token","-v","-u","user:s3cret","-ps3cret","API_KEY=s3cret","-H","X-Api-Key: s3cret","-p","8080"],"program":"mysql"}`, "")
	want := `args[0]: "--password"
args[1]: ••• (string, 1 to 15 characters)
args[2]: "--token"
args[3]: "-v"
args[4]: "-u"
args[5]: "user:•••"
args[6]: "-p•••"
args[7]: "API_KEY=•••"
args[8]: "-H"
args[9]: "X-Api-Key: •••"
args[10]: "-p"
args[11]: "8080"
program: "mysql"
`
	if p.Text != want {
		t.Errorf("Text =\n%s\nwant\n%s", p.Text, want)
	}
	if all := string(p.Arguments) + strings.Join(p.Warnings, " "); strings.Contains(all, "s3cret") {
		t.Errorf("a secret is in %s", all)
	}
	p = of(t, `{"command":"redis-cli","args":["-a","s3cret"]}`, "")
	if strings.Contains(p.Text+string(p.Arguments), "s3cret") {
		t.Errorf("Text = %s", p.Text)
	}
	p = of(t, `{"args":["--password","a/../s3cret"]}`, "")
	if strings.Contains(p.Text+strings.Join(p.Warnings, " "), "s3cret") {
		t.Errorf("Text = %s, warnings %q", p.Text, p.Warnings)
	}
}
