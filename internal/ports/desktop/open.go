package desktop

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Open implements [tool.Desktop].
func (b *bound) Open(ctx context.Context, app string, args []string) error {
	command, err := b.mayOpen(app)
	if err != nil {
		return err
	}
	for _, arg := range args {
		if err := b.document(arg); err != nil {
			return err
		}
	}
	if err := b.graphical(); err != nil {
		return err
	}
	switch {
	case len(command) > 0:
	case b.system == "darwin":
		command = []string{"open", "-a", app, "--args"}
	default:
		command = []string{app}
	}
	file, ok := b.find(command[0])
	if !ok {
		return tool.Fail(tool.NotConfigured,
			"The application %[1]s is not installed on this machine: install its program, or name another one with desktop.apps: [%[1]s=COMMAND]",
			app)
	}
	return b.open(ctx, "The application", b.command(file, slices.Concat(command[1:], args)...))
}

// scheme matches the beginning of an address: macro:, javascript:, ssh:.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// document refuses an argument that an application could take for an order: editors run
// what follows +, programs read options from @FILE, and addresses can be macros.
func (b *bound) document(arg string) error {
	kind := strings.ToLower(scheme.FindString(arg))
	switch {
	case arg != "" && strings.ContainsRune("-+@", rune(arg[0])), strings.ContainsRune(arg, 0):
		return tool.Fail(tool.ValidationError,
			"An argument must not begin with - (nor with + or @): options of applications are the operator's to choose.")
	case kind == "http:", kind == "https:":
		_, err := b.page(arg)
		return err
	case kind == "" || kind == "mailto:" || kind == "file:" && strings.HasPrefix(arg[len(kind):], "///"):
		return nil
	}
	return tool.Fail(tool.ValidationError, "An application is opened with documents and pages (http, https) only, not with %.40s", kind)
}

// OpenURL implements [tool.Desktop].
func (b *bound) OpenURL(ctx context.Context, address string) error {
	plain, err := b.page(address)
	if err != nil {
		return err
	}
	opener := "xdg-open"
	if b.system == "darwin" {
		opener = "open"
	}
	// A browser that the person configured may need no display.
	if err := b.graphical(); err != nil && b.session["BROWSER"] == "" {
		return err
	}
	file, ok := b.find(opener)
	if !ok {
		return tool.Fail(tool.NotConfigured,
			"There is no %s on this machine to open the browser with: install xdg-utils ('apt-get install xdg-utils')", opener)
	}
	return b.open(ctx, "The browser", b.command(file, plain))
}

// page returns the address of a page that may be opened, in a form that no program
// takes for anything else.
func (b *bound) page(address string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || strings.HasPrefix(u.Host, "-"):
		return "", tool.Fail(tool.ValidationError, "This is not a URL; write one such as https://example.com/page.").Because(err)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", tool.Fail(tool.ValidationError, "Only http and https pages can be opened.")
	case u.User != nil:
		return "", tool.Fail(tool.ValidationError, "The URL must not hold a user name or password.")
	}
	usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	port, err := strconv.ParseUint(cmp.Or(u.Port(), usual), 10, 16)
	if err != nil {
		return "", tool.Fail(tool.ValidationError, "The port of the URL is not a port.").Because(err)
	}
	if err := scope.Host(u.Hostname(), uint16(port), b.within...); err != nil {
		return "", err
	}
	// Characters that a shell script for opening browsers might misread are escaped.
	return strings.NewReplacer("'", "%27",
		"`", "%60", "$", "%24", "(", "%28", ")", "%29", ";", "%3B", " ", "%20", `"`, "%22", `\`, "%5C").Replace(u.String()), nil
}
