package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// axe is the engine that tests pages for accessibility, as `npm ci` installs it in the
// folder console of the repository.
const axe = "console/node_modules/axe-core/axe.min.js"

// Axe fails for each rule of WCAG 2.2 AA, and each best practice, that the page breaks.
// Without the engine, which needs npm, it skips the test, in CI it fails.
func (p *Tab) Axe() {
	p.t.Helper()
	source, err := os.ReadFile(filepath.Join(root(p.t), axe))
	if err != nil {
		if os.Getenv("CI") != "" {
			p.t.Fatal(err)
		}
		p.t.Skipf("ACCESSIBILITY IS NOT TESTED, run npm ci in the folder console: %v", err)
	}
	p.ask("Runtime.evaluate", map[string]any{"expression": string(source)}, nil)
	var violations []struct {
		ID    string `json:"id"`
		Help  string `json:"help"`
		Nodes []struct {
			HTML    string `json:"html"`
			Summary string `json:"failureSummary"`
		} `json:"nodes"`
	}
	text := p.Eval(
		`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((r) => r.violations)`,
	)
	if err := json.Unmarshal([]byte(text), &violations); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range violations {
		p.t.Errorf("axe at %s: %s: %s: %+v", p.Text(`location.pathname`), v.ID, v.Help, v.Nodes)
	}
}

// Fits fails if the page is wider than the screen, so that one has to scroll sideways.
func (p *Tab) Fits() {
	p.t.Helper()
	wide := p.Text(`[...document.querySelectorAll('body, body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, .sr, .skip'))
		.slice(0, 5).map((e) => e.outerHTML.slice(0, 200)).join('\n')`)
	if got := p.Eval(`document.documentElement.scrollWidth <= innerWidth`); got != "true" {
		p.t.Errorf("the page %s is wider than the screen:\n%s", p.Text(`location.pathname`), wide)
	}
}
