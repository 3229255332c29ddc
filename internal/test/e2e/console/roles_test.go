package console

import (
	"fmt"
	"strings"
	"testing"
)

// persons are those of the columns of the tables below: u1, whose things are looked at, and
// a person of each role.
var persons = []string{"u1", "bob", "cleo", "eve", "root"}

// TestRoles: each role sees and does on the pages what it may, nothing of another person
// that it may not see, and no request of its session does what the page hides.
func TestRolesOnPages(t *testing.T) {
	t.Parallel()
	p := newRoleWorld(t)
	for i, name := range persons {
		c := p.sign(t, p.keys[name], "/")
		c.Until(`location.pathname === '` + begins[i] + `' && document.querySelector('nav') !== null`)
		t.Run(name, func(t *testing.T) {
			if got := c.Text(`[...document.querySelectorAll('nav a')].map((a) => a.pathname).join(' ')`); got != offered[i] {
				t.Errorf("the navigation offers %q, want %q", got, offered[i])
			}
			for _, page := range rolesPages(p) {
				c.looksAt(page.path)
				c.Until(summary + ` === "` + page.want[i] + `"`)
			}
			p.hidden(t, c, i)
		})
	}
	p.unchanged(t)
	signsIn(t, p)
	connects(t, p)
	actsAsShown(t, p)
	sameWords(t, p)
}

// begins are the pages after the sign-in: operators who decide nothing begin with the overview.
var begins = []string{"/", "/", "/", "/overview", "/overview"}

// offered are the links of the navigation, by person.
var offered = []string{
	"/ /calls /programs /schedules /files /tools /agents /custom-tools /services /grants /data",
	"/ /calls /programs /schedules /files /tools /agents /custom-tools /services /grants /data",
	"/ /tools /custom-tools /grants",
	"/ /calls /programs /schedules /agents /custom-tools /overview /fleet /dead /check /audit /decisions /policy",
	"/ /calls /programs /schedules /files /tools /agents /custom-tools /upstream /overview /fleet /dead /services /check /audit /decisions /policy /grants /data",
}

// looksAt goes to a page as its links do, and opens what lies in its first row if the path
// ends in #open. On the way is a page that there is not, so that it is seen to be another.
func (c *console) looksAt(path string) {
	path, open := strings.CutSuffix(path, "#open")
	c.follow("/nowhere")
	c.Until(`document.querySelector('h1')?.innerText === 'Not found'`)
	c.follow(path)
	c.Until(`![null, undefined, 'Not found'].includes(document.querySelector('h1')?.innerText) && document.querySelector('main [aria-busy="true"]') === null`)
	if open && c.Eval(`document.querySelector('main .row-link') !== null`) == "true" {
		c.Click(`main .row-link`)
		c.Until(`document.querySelector('.detail dl') !== null`)
	}
}

// follow changes the address as a link does, without loading the document again.
func (c *console) follow(path string) {
	c.Eval(fmt.Sprintf(`history.pushState(null, '', %q), dispatchEvent(new PopStateEvent('popstate')), 1`, path))
}

// summary is the expression of what a page shows: * if anything of u1, then why it shows
// nothing, or the actions that are there.
const summary = `(() => {
	const says = document.querySelector('main').innerText;
	const acts = [...document.querySelectorAll('main button:not(.cut), main a.button')].filter((e) => e.checkVisibility()).map((e) => e.innerText.trim()).filter(Boolean);
	const own = document.documentElement.outerHTML.includes('` + private + `') ? '* ' : '';
	return own + (says.includes('This page needs the role') ? 'needs a role' : document.querySelector('main .failure') ? 'failure' : [...new Set(acts)].sort().join(', '));
})()`

// rolesPages returns the pages of all areas with what each person is shown there.
func rolesPages(p *roleWorld) []rolesPage {
	const none, role = "failure", "needs a role"
	calls, auditors := [5]string{"", "", role, "", ""}, [5]string{role, role, role, "", ""}
	return []rolesPage{
		{"/", [5]string{"* Allow once, Deny, Notify me", "Notify me", "* Allow once, Deny, Notify me", "Notify me", "Notify me"}},
		{"/?whose=all", [5]string{"* Allow once, Deny, Notify me", "Notify me", "* Allow once, Deny, Notify me", "* Notify me", "* Notify me"}},
		{"/consents/" + p.parked.ConsentID, [5]string{"* Allow once, Deny, Notify me", none, "* Allow once, Deny, Notify me", "* Notify me", "* Notify me"}},
		{"/consents/" + p.granted.ConsentID, [5]string{"* Notify me, Take it back", none, "* Notify me, Take it back", "* Notify me", "* Notify me, Take it back"}},
		{"/calls", [5]string{"* ", "", role, "* ", "* "}},
		{"/calls/" + p.parked.CallID, [5]string{
			"* CLI, Cancel the call, Python, Run again, TypeScript, curl", none, none, "* CLI, Python, TypeScript, curl",
			"* CLI, Cancel the call, Python, Run again, TypeScript, curl",
		}},
		{"/calls/u1-done", [5]string{
			"* CLI, Python, Run again, TypeScript, curl", none, none, "* CLI, Python, TypeScript, curl",
			"* CLI, Python, Run again, TypeScript, curl",
		}},
		{"/traces/" + p.done, calls},
		{"/programs", calls},
		{"/schedules", [5]string{"* ", "", role, "* ", "* "}},
		{"/schedules/u1." + p.task, [5]string{"* Delete, Pause, Run now", none, role, "* ", "* Delete"}},
		{"/files", [5]string{"Upload", "Upload", role, role, "Upload"}},
		{"/files/own.txt", [5]string{"* Delete, Download, Upload", none, role, role, none}},
		{"/files/own.txt?user=u1", [5]string{
			"* Delete, Download, Upload", none, role, role, `* Delete, Download, Remove all filters, Remove the filter\nPerson: u1 ×, Upload`,
		}},
		{"/tools", [5]string{"", "", "", role, ""}},
		{"/tools/debug.echo", [5]string{"Run", "Run", "Run", role, "Run"}},
		{"/agents", [5]string{"", "", role, "", "Add an agent, Change"}},
		{"/custom-tools", [5]string{"* Open", "", "* Open", "* Open", "* Open"}},
		{"/custom-tools?tool=report&owner=u1", [5]string{
			"* Close, Delete, Open, Switch off, Try it", none, "* Close, Open, Share version 1", "* Close, Open",
			"* Close, Delete, Open, Share version 1, Switch off",
		}},
		{"/upstream", [5]string{role, role, role, role, ""}},
		{"/overview", auditors},
		{"/fleet", [5]string{role, role, role, "", "Drain, Pause"}},
		{"/dead", auditors},
		{"/dead#open", [5]string{role, role, role, "", "Drop, Put back on the queue"}},
		{
			"/services",
			[5]string{
				"* Change, Connect an account, Delete, Set up", "Connect an account, Set up", role, role,
				"* Change, Connect an account, Delete, Set up",
			},
		},
		{"/check", [5]string{role, role, role, "Check again", "Check again"}},
		{"/audit", [5]string{
			role, role, role, "* Export with seals", "* Export with seals",
		}},
		{"/decisions", [5]string{role, role, role, "Save as CSV", "Save as CSV"}},
		{"/policy", [5]string{role, role, role, "Explain", "Explain"}},
		{"/grants", [5]string{"Revoke", "", "Revoke", role, "Revoke"}},
		{"/data", [5]string{"Delete everything, Export", "Delete everything, Export", role, role, "Delete everything, Export"}},
		{"/data?user=u1", [5]string{"Delete everything, Export", none, role, role, "Delete everything, Export"}},
		{"/grants?user=u1", [5]string{"Revoke", none, "Revoke", role, "Revoke"}},
	}
}

type rolesPage struct {
	path string
	want [5]string // by person
}
