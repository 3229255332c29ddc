package desktop

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBrowserOpenURL(t *testing.T) {
	d := newDesk(t, map[string]string{"xdg-open": `echo "$#" "$@" >"$HOME/opened"`, "open": `echo "$#" "$@" >"$HOME/opened"`})
	tooltest.Run(t, Set, "browser.open_url", d.call(t, nil), []tooltest.Case{
		{Name: "opens", Args: `{"url":" https://example.com/a?b=c&d=e#f "}`, Want: `{"opened":true,"url":"https://example.com/a?b=c&d=e#f"}`},
	})
	if got, want := d.said("opened"), "1 https://example.com/a?b=c&d=e#f\n"; got != want {
		t.Errorf("the opener was given %q, want %q", got, want)
	}
	var cases []tooltest.Case
	for url, message := range map[string]string{
		"file:///etc/passwd": "Only http and https", "javascript:alert(1)": "Only http and https",
		"data:text/html,x": "Only http and https", "ftp://example.com": "Only http and https", "example.com": "not a URL",
		"/etc/passwd": "not a URL", "--help": "not a URL", "http://a b.com": "not a URL", " ": "not a URL", "": "url",
		"https://": "not a URL", "https:example.com": "names no host", "https://:80/": "names no host",
		"https://u:p@example.com": "user name or password", "https://example.com:99999": "not a port",
	} {
		cases = append(cases, tooltest.Case{Name: url, Args: `{"url":"` + url + `"}`, Fails: tool.ValidationError, Message: message})
	}
	cases = append(cases, tooltest.Case{Name: "no url", Args: `{}`, Fails: tool.ValidationError, Message: "url"})
	tooltest.Run(t, Set, "browser.open_url", d.call(t, nil), cases)
	tooltest.Run(t, Set, "browser.open_url", d.call(t, nil, tool.Scopes{Hosts: []string{"example.com"}}), []tooltest.Case{
		{Name: "outside the scopes", Args: `{"url":"https://example.org"}`, Fails: tool.PermissionDenied, Message: "example.org"},
	})
	tooltest.Run(t, Set, "browser.open_url", (*desk)(nil).call(t, nil), []tooltest.Case{
		{Name: "headless", Args: `{"url":"https://example.com"}`, Fails: tool.NotConfigured, Message: "There is no desktop here"},
	})
	broken := newDesk(t, map[string]string{"xdg-open": "exit 3", "open": "exit 3"})
	tooltest.Run(t, Set, "browser.open_url", broken.call(t, nil), []tooltest.Case{
		{Name: "broken", Args: `{"url":"https://example.com"}`, Fails: tool.ExecutionError, Message: "ended with an error"},
	})
}
