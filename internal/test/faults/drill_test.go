package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// drillTasks is the number of tasks, summaries and files of the drill.
const drillTasks = 30

// drillCode is the program of the drill, as a model writes it. Files are appended to, so that a
// file that is written twice has its text twice; a write that was cut off is looked for.
const drillCode = `const {tasks} = await tools.list_tasks({status: "pending", limit: 50});
const briefs = await program.step("summarise", () =>
  Promise.all(tasks.map(t => tools.summarize_text({text: t.description, style: "tldr"}))));
program.log("summaries", briefs.length);
if (!await program.ask("Write " + briefs.length + " files?", {type: "boolean"})) return {written: 0};
async function put(path, content) {
  try { await tools.write_file({path, content, mode: "append"}); }
  catch (e) {
    if (e.error_type !== "outcome_unknown") throw e;
    try { await tools.read_file({path}); } catch { await put(path, content); }
  }
}
await program.step("write", async () => {
  for (const [i, t] of tasks.entries()) await put("briefs/" + t.title + ".txt", briefs[i].summary);
});
program.log("files written, sleeping");
await program.sleep(input.sleep);
return {written: tasks.length};`

// drill is a Helve of three processes that are each killed and started again.
type drill struct {
	*world

	at, natsAt, natsDir, data string
	env                       []string
	nats, hand                *process
	door                      door
	killed                    map[string]int
}

func newDrill(t *testing.T, env ...string) *drill {
	t.Helper()
	d := &drill{natsAt: queuetest.Addr(t), natsDir: t.TempDir(), at: queuetest.Addr(t), data: t.TempDir(), env: env, killed: map[string]int{}}
	d.world = worldAt(t, "nats://"+d.natsAt)
	d.nats = natsd(t, d.natsAt, d.natsDir)
	d.hand = d.worker(env...)
	d.startDispatcher()
	return d
}

// startDispatcher starts the dispatcher on its files.
func (d *drill) startDispatcher() {
	p := d.spawnDispatcher(d.at, append([]string{"HELVE_DATA=" + d.data, quickly}, d.env...)...)
	d.door = door{process: p, url: p.line("ready http=")}
}

// killDispatcher kills the dispatcher and starts it again.
func (d *drill) killDispatcher() {
	d.killed["dispatcher"]++
	d.door.kill()
	d.startDispatcher()
}

// killWorker kills the worker and starts another.
func (d *drill) killWorker() {
	d.killed["worker"]++
	d.hand.kill()
	d.hand = d.worker(d.env...)
}

// killNATS kills the NATS server and starts it again on its files.
func (d *drill) killNATS() {
	d.killed["nats"]++
	d.nats.kill()
	d.nats = natsd(d.t, d.natsAt, d.natsDir)
	await(d.t, "readiness", func() bool { return ready(d.door.url) == http.StatusOK })
}

// shownProgram is the part of a program that these tests read.
type shownProgram struct {
	CallID  string `json:"call_id"`
	State   string `json:"state"`
	Status  string `json:"status"`
	Waiting []struct {
		Kind      string `json:"kind"`
		ConsentID string `json:"consent_id"`
	} `json:"waiting_for"`
	Steps []struct {
		N      int    `json:"n"`
		CallID string `json:"call_id"`
		Tool   string `json:"tool"`
		Status string `json:"status"`
	} `json:"steps"`
}

// programs lists the programs of the person.
func (d door) programs() (all []struct {
	CallID string `json:"call_id"`
},
) {
	var got struct {
		Programs []struct {
			CallID string `json:"call_id"`
		} `json:"programs"`
	}
	if status, err := request(http.MethodGet, d.url+"/v1/programs?user="+person, defaultTenant, nil, &got); err != nil || status != http.StatusOK {
		return nil
	}
	return got.Programs
}

// show returns a program; it is empty if there is none, or no answer.
func (d door) show(id string) (p shownProgram) {
	status, err := request(http.MethodGet, d.url+"/v1/programs/"+id, defaultTenant, nil, &p)
	if err != nil || status != http.StatusOK {
		return shownProgram{}
	}
	return p
}

// done counts the steps of a tool that have ended well.
func (p *shownProgram) done(tool string) (n int) {
	for _, s := range p.Steps {
		if s.Tool == tool && s.Status == "success" {
			n++
		}
	}
	return n
}

func (p *shownProgram) waitsFor(kind string) bool {
	return p.State == "waiting" && len(p.Waiting) == 1 && p.Waiting[0].Kind == kind
}

// answer answers the question of a program with yes.
func (d door) answer(consentID string) int {
	body := fmt.Appendf(nil, `{"decision": "grant", "answer": {"answer": true}, "by": %q}`, person)
	status, err := request(http.MethodPost, d.url+"/v1/consents/"+consentID+"/decision", defaultTenant, body, nil)
	if err != nil {
		return 0
	}
	return status
}

// TestProgramDrill is the whole story of a program: an assistant with the official MCP client calls
// run_program once, over /mcp/code. The program reads tasks, has a model sum each up, asks the
// person, writes files, sleeps and reports, while the dispatcher, the worker and NATS are each
// killed twice. Every file is written once, the person is asked once, and the call has its answer.
func TestProgramDrill(t *testing.T) {
	t.Parallel()
	sleep := "3s"
	if atNight() {
		sleep = "60s"
	}
	model := newSummarizer(t)
	d := newDrill(t, model.env...)
	d.addTasks()
	answered := d.callOverMCP(map[string]any{"code": drillCode, "input": map[string]any{"sleep": sleep}})

	var p shownProgram
	until := func(what string, is func() bool) {
		t.Helper()
		await(t, what, func() bool {
			if all := d.door.programs(); p.CallID == "" && len(all) > 0 {
				p.CallID = all[0].CallID
			}
			if now := d.door.show(p.CallID); now.CallID != "" {
				p = now
			}
			return is()
		})
	}
	until("some summaries", func() bool { return p.done("summarize_text") >= 2 })
	d.killWorker()
	until("more summaries", func() bool { return p.done("summarize_text") >= 8 })
	d.killDispatcher()
	until("the question", func() bool { return p.waitsFor("answer") })
	d.killNATS()
	until("the question after the restart", func() bool { return p.waitsFor("answer") })
	await(t, "the answer is taken", func() bool {
		status := d.door.answer(p.Waiting[0].ConsentID)
		return status == http.StatusOK || status == http.StatusConflict
	})
	until("some files", func() bool { return p.done("write_file") >= 2 })
	d.killDispatcher()
	until("more files", func() bool { return p.done("write_file") >= 8 })
	d.killWorker()
	until("sleep", func() bool { return p.waitsFor("sleep") || p.State == "done" })
	d.killNATS()

	select {
	case got := <-answered:
		if got.err != nil || got.text != fmt.Sprintf(`{"written":%d}`, drillTasks) {
			t.Errorf("the assistant was answered %q, %v", got.text, got.err)
		}
	case <-time.After(patience()):
		t.Error("the assistant was not answered")
	}
	until("its end", func() bool { return p.State == "done" })
	d.checkDrill(&p, model)
}

// checkDrill checks what the drill left.
func (d *drill) checkDrill(p *shownProgram, model *summarizer) {
	t := d.t
	t.Helper()
	if d.killed["dispatcher"] != 2 || d.killed["worker"] != 2 || d.killed["nats"] != 2 || p.Status != "success" {
		t.Errorf("killed were %v, and the program ended in %s", d.killed, p.Status)
	}
	for i := range drillTasks {
		path := filepath.Join(d.world.data, "workspaces", defaultTenant, person, "briefs", fmt.Sprintf("task-%02d.txt", i))
		if text, err := os.ReadFile(path); err != nil || string(text) != model.brief(i) {
			t.Errorf("task %d has the file %q, %v; want %q, once", i, text, err, model.brief(i))
		}
	}
	if all := d.door.inbox(""); len(all) != 1 || all[0].Status != "granted" {
		t.Errorf("the person was asked %+v, want once", all)
	}
	writes := map[string]bool{}
	for _, s := range p.Steps {
		if s.Tool == "write_file" {
			writes[s.CallID] = true
		}
	}
	began := map[string]int{}
	seen := map[string]bool{}
	for _, r := range d.observe().records() {
		if r.Phase == "started" && writes[r.CallID] && !seen[r.AuditID] {
			began[r.CallID]++
			seen[r.AuditID] = true
		}
	}
	for id := range writes {
		if began[id] != 1 {
			t.Errorf("by the trail %s began %d times, want once", id, began[id])
		}
	}
	d.readsOnOneScreen(p.CallID)
}

// readsOnOneScreen checks what the command line shows of a program.
func (d *drill) readsOnOneScreen(id string) {
	t := d.t
	t.Helper()
	out, err := exec.Command(shipped(t), "programs", "show", id, "--server", d.door.url, "--user", person).CombinedOutput()
	if err != nil {
		t.Fatalf("helve programs show: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(lines) > 50 || len(slices.MaxFunc(lines, func(a, b string) int { return len(a) - len(b) })) > 160 {
		t.Errorf("the program does not fit one screen of 50 lines with 160 characters:\n%s", out)
	}
	for _, want := range []string{"success", "list_tasks", "summarize_text", "summarise", "ask_user", "write_file", "summaries 30", "files written"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the story lacks %q:\n%s", want, out)
		}
	}
}

// addTasks gives the person the tasks of the drill, the newest of which is task-00.
func (d *drill) addTasks() {
	d.t.Helper()
	var all []any
	for i := drillTasks - 1; i >= 0; i-- {
		all = append(all, map[string]any{"title": fmt.Sprintf("task-%02d", i), "notes": fmt.Sprintf("What is to be done in part %d.", i)})
	}
	c := &call{ID: "tasks", Tool: "batch_add_tasks", Args: map[string]any{"tasks": all}, tenant: defaultTenant}
	if a := d.door.asPerson(time.Minute, c); len(a.elements) != 1 || a.elements[0].Status != "success" {
		d.t.Fatalf("the tasks were answered %+v", a)
	}
}

// told is the answer of run_program to the assistant.
type told struct {
	text string
	err  error
}

// callOverMCP calls run_program with the official client.
func (d *drill) callOverMCP(args map[string]any) <-chan told {
	t := d.t
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "drill", Version: "1"}, nil)
	web := &http.Client{Transport: repeats{t.Context()}}
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: d.door.url + "/mcp/code", HTTPClient: web, DisableStandaloneSSE: true},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(listed.Tools, func(o *mcp.Tool) bool { return o.Name == "run_program" }) {
		t.Fatalf("the set code has no run_program: %v", err)
	}
	got := make(chan told, 1)
	go func() {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_program", Arguments: args})
		if err != nil {
			got <- told{err: err}
			return
		}
		text, err := json.Marshal(res.StructuredContent)
		if res.IsError {
			text, err = json.Marshal(res.Content)
		}
		got <- told{string(text), err}
	}()
	return got
}
