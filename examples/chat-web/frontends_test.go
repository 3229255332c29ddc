package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/modeltest"
)

// TestEverybody: two people at pages and one at a terminal, at the same time, on the same
// workers. Each is shown what their tools do, and is asked what needs them and no other.
func TestEverybody(t *testing.T) {
	m := serveModel(t)
	url, _ := startWeb(t, m, t.TempDir())
	ada, bob, cydName := logIn(t, url, person("ada")), logIn(t, url, person("bob")), person("cyd")
	cyd := startTerminal(t, m, cydName, filepath.Join(t.TempDir(), "cyd.json"))
	ada.say("guard of-ada")
	cyd.types("guard of-cyd:https://p\u0430ypal.com/")
	bob.say("steps")

	bob.sees("tool", `"step":3`)
	bob.sees("result", "stepped ")
	bob.sees("text", "It came to: ")
	first := ada.card(1)
	if first.Tool != "debug.guarded" || first.Risk != "medium" || first.Reason == "" || !strings.Contains(first.Preview, "of-ada") ||
		first.Call.CallID == "" {
		t.Errorf("ada is asked %+v, want the tool, why, and what will be done", first)
	}
	cyd.sees("of-cyd")
	cyd.sees("written to look like 'paypal.com'")
	cyd.sees("Run it? [y/N]")

	// Bob is asked while the others are, so whatever was to reach his page has.
	bob.say("guard of-bob")
	own := bob.card(1)
	status, known := bob.decide(first.ID, true)
	if strange, unknown := bob.decide("c-nobodys", true); status != http.StatusNotFound || strange != status || unknown != known {
		t.Errorf("another's consent is answered %d %q, one that is not there %d %q, want the same 404", status, known, strange, unknown)
	}
	if status, text := bob.decide(own.ID, false); status != http.StatusOK {
		t.Errorf("bob denies: %d %s", status, text)
	}
	bob.sees("result", "permission_denied")
	cyd.types("n")
	cyd.sees("[debug.guarded] permission_denied")
	if status, text := ada.decide(first.ID, true); status != http.StatusOK {
		t.Errorf("ada grants: %d %s", status, text)
	}
	ada.sees("result", "written")
	ada.sees("text", "It came to: ")
	cyd.sees("It came to: ")
	if status, _ := ada.decide(first.ID, false); status != http.StatusConflict {
		t.Errorf("a second decision = %d, want 409", status)
	}
	cyd.leave()

	for user, want := range map[string][]string{ada.name: {"of-ada"}, bob.name: nil, cydName: nil} {
		if got := ledger(t, user); !slices.Equal(got, want) {
			t.Errorf("for %s was done %q, want %q", user, got, want)
		}
	}
	for name, sees := range map[string]string{"ada": ada.sent(), "bob": bob.sent(), "cyd": cyd.shows()} {
		for _, other := range []string{"ada", "bob", "cyd"} {
			if other != name && strings.Contains(sees, "of-"+other) {
				t.Errorf("%s was sent what is %s's:\n%s", name, other, sees)
			}
		}
	}
	if n := len(ada.look()) + len(bob.look()); n != 2 || strings.Contains(bob.sent(), first.ID) || strings.Contains(ada.sent(), own.ID) {
		t.Errorf("%d cards were shown, want one to each page and none of another's", n)
	}
}

// TestWebRestarts: a conversation whose program ends while a person decides goes on in the
// next one, and nothing is done twice.
func TestWebRestarts(t *testing.T) {
	m, data := serveModel(t), t.TempDir()
	url, stop := startWeb(t, m, data)
	dan := logIn(t, url, person("dan"))
	dan.say("guard of-dan")
	asked := dan.card(1)
	stop()

	url, _ = startWeb(t, m, data)
	again := logIn(t, url, dan.name)
	again.sees("you", "guard of-dan")
	if got := again.card(1); got.ID != asked.ID {
		t.Errorf("dan is asked about %s, want %s again", got.ID, asked.ID)
	}
	if status, text := again.decide(asked.ID, true); status != http.StatusOK {
		t.Fatalf("dan grants: %d %s", status, text)
	}
	again.sees("result", "written")
	again.sees("text", "It came to: ")
	again.say("well")
	again.sees("text", "You said: well")
	if got := ledger(t, dan.name); !slices.Equal(got, []string{"of-dan"}) {
		t.Errorf("for dan was done %q, want it once", got)
	}
	if !strings.Contains(m.Last(), "guard of-dan") {
		t.Errorf("the model was asked %.300s, want the whole conversation", m.Last())
	}
}

// TestWebRestartsUnanswered: what was said before the model could answer is answered.
func TestWebRestartsUnanswered(t *testing.T) {
	silent, data := make(chan struct{}), t.TempDir()
	m := modeltest.ServeBy(t, "openai", func(n int, body string) modeltest.Turn {
		if n == 0 {
			<-silent
		}
		return modeltest.Says("You said: " + lastOf(body).Content)
	})
	url, stop := startWeb(t, m, data)
	kim := logIn(t, url, person("kim"))
	kim.say("hello")
	eventually(t, "the model is asked", func() bool { return m.Last() != "" })
	stop()
	close(silent)

	url, _ = startWeb(t, m, data)
	again := logIn(t, url, kim.name)
	again.sees("you", "hello")
	again.sees("text", "You said: hello")
}

// TestTerminalStops: Ctrl-C ends what runs, the next line goes on from there, and so does
// the next start.
func TestTerminalStops(t *testing.T) {
	m, file, name := serveModel(t), filepath.Join(t.TempDir(), "eve.json"), person("eve")
	eve := startTerminal(t, m, name, file)
	eve.types("hold")
	eve.sees(`[demo_hold] "holding"`)
	eve.interrupt()
	eve.sees("stopped; your next line")
	eve.types("go on")
	eve.sees("cancelled")
	eve.sees("You said: go on")
	eve.types("guard of-eve")
	eve.sees("Run it? [y/N]")
	eve.leave() // without a word

	again := startTerminal(t, m, name, file)
	again.sees("Continuing")
	again.sees("Run it? [y/N]")
	again.types("y")
	again.sees("It came to: ")
	again.types("steps")
	again.sees("step\":3")
	again.sees("[demo_steps] done")
	again.types("bye")
	again.sees("You said: bye\n> ")
	again.interrupt()
	again.ends()
	if got := ledger(t, name); !slices.Equal(got, []string{"of-eve"}) {
		t.Errorf("for eve was done %q, want it once", got)
	}
	if strings.ContainsAny(again.shows(), "\x1b\x07") {
		t.Errorf("the terminal was told to do something: %q", again.shows())
	}
}

// TestTerminalAnswers: a question is answered where it is asked, in a line or as JSON.
func TestTerminalAnswers(t *testing.T) {
	ty := startTerminal(t, serveModel(t), person("lea"), filepath.Join(t.TempDir(), "lea.json"))
	ty.types(`ask {"question":"What then?"}`)
	ty.sees("asks: What then?")
	ty.types(`my "own" words`)
	ty.sees(`"answer":"my \"own\" words"`)
	ty.types(`ask {"question":"Which one?","schema":{"type":"object","properties":{"account":{"type":"string","enum":["private","work"]}},"required":["account"]}}`)
	ty.sees("account (private|work, required)")
	ty.types("work")
	ty.sees("This is not a JSON object")
	ty.types(`{"account":"other"}`)
	ty.sees("must be one of: private, work")
	ty.types(`{"account":"work"}`)
	ty.sees(`It came to: {"status":"success","result":{"account":"work"}}`)
	ty.types(`ask {"question":"And this?"}`)
	ty.sees("asks: And this?")
	ty.types("")
	ty.sees("does not want to answer")
	ty.leave()
}
