package durabletest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/helve-dev/helve/internal/toolbox/js"
)

// Races returns the code of a program of races, in which each outcome decides what is called
// next. Its numbers come from a seed. [Outcome] runs its steps.
func Races(seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("const out = []; const done = v => { out.push(v.n); return v.n };\n" +
		"const t = n => tools['t' + n]({n, at: Date.now(), r: Math.random()}).then(done);\n")
	for i := range 3 + random.IntN(6) {
		var all []string
		for range 1 + random.IntN(5) {
			all = append(all, []string{
				fmt.Sprintf("t(%d)", random.IntN(100)), fmt.Sprintf("t(%d).then(n => t(n + 100))", random.IntN(100)),
				fmt.Sprintf("program.sleep(%d)", random.IntN(5000)), fmt.Sprintf("tools.fail({n: %d}).catch(e => t(e.message.length))", i),
				fmt.Sprintf("program.step('s%d', async () => { await null; return t(crypto.randomUUID().charCodeAt(0)) })", i),
			}[random.IntN(5)])
		}
		how := []string{"all", "race", "allSettled", "any"}[random.IntN(4)]
		fmt.Fprintf(&b, "const v%d = await Promise.%s([%s]); console.log(v%d, out.length); if (String(v%d).length %% 2) await t(200);\n",
			i, how, strings.Join(all, ", "), i, i)
	}
	b.WriteString("return [out, crypto.randomUUID(), Math.random(), program.now(), [...crypto.getRandomValues(new Uint8Array(4))]]")
	return b.String()
}

// Outcome returns the outcome of a step: fail fails, and every other tool echoes.
func Outcome(s js.Step) (json.RawMessage, *js.StepError) {
	if s.Tool == "fail" {
		return nil, &js.StepError{Type: "execution_error", Message: strings.Repeat("x", s.N)}
	}
	return s.Args, nil
}
