package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// engineEnv names a Docker engine, as for the tests of containers of tools.
const engineEnv = "HELVE_TEST_DOCKER"

// patience bounds each wait for a container.
const patience = 2 * time.Minute

// engine runs the docker command against the engine.
type engine struct {
	t    *testing.T
	host string
}

func (e engine) try(args ...string) (string, error) {
	out, err := exec.Command("docker", append([]string{"--host", e.host}, args...)...).CombinedOutput()
	return string(out), err
}

func (e engine) run(args ...string) string {
	e.t.Helper()
	out, err := e.try(args...)
	if err != nil {
		e.t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

// start runs an image as the manifests do: with a read-only root, as the user of the image,
// without capabilities and new privileges. Flags are those of docker run.
func (e engine) start(image string, flags []string, args ...string) (id string) {
	e.t.Helper()
	command := append([]string{
		"run", "--detach", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
		"--tmpfs", "/var/lib/helve:uid=65532,gid=65532,mode=0700", "--tmpfs", "/tmp",
	}, flags...)
	id = e.run(append(append(command, "helve/"+image+":"+version), args...)...)
	e.t.Cleanup(func() {
		if e.t.Failed() {
			out, _ := e.try("logs", id)
			e.t.Logf("%s: %s", image, out)
		}
		_, _ = e.try("rm", "--force", "--volumes", id)
	})
	return id
}

// await waits until a program in a container exits with 0.
func (e engine) await(id string, command ...string) string {
	e.t.Helper()
	var out string
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if out, err = e.try(append([]string{"exec", id}, command...)...); err == nil {
			return out
		}
		<-time.After(200 * time.Millisecond)
	}
	e.t.Fatalf("%s in vain: %v: %s", strings.Join(command, " "), err, out)
	return ""
}

// TestImagesRun runs the three images in a real engine, in one network without an outside:
// helve up, and a dispatcher and a worker that join its NATS with the settings and arguments
// of the overlay dev.
func TestImagesRun(t *testing.T) {
	host := os.Getenv(engineEnv)
	if host == "" {
		t.Log("NOT RUN in an engine: set " + engineEnv + " to one; .ci/run starts one")
		t.Skip("without a Docker engine")
	}
	e := engine{t, host}
	for image := range programs() {
		e.run("load", "--input", filepath.Join(archives(t), image+".tar"))
		t.Cleanup(func() { _, _ = e.try("rmi", "--force", "helve/"+image+":"+version) })
	}
	const helve = "/usr/local/bin/helve"
	const elsewhere = "http://127.0.0.1:8079"
	up := e.start("helve", []string{"--network", "none", "--add-host", "helve-nats:127.0.0.1"}, "up", "--http",
		strings.TrimPrefix(elsewhere, "http://"), "--diagnostics")
	e.await(up, helve, "call", "--server", elsewhere, "debug.echo", "value=1")
	settings, err := filepath.Abs("../k8s/overlays/dev/helve.yaml")
	if err != nil {
		t.Fatal(err)
	}
	joined := []string{"--network", "container:" + up, "--volume", settings + ":/etc/helve/helve.yaml:ro"}
	args := []string{"--config", "/etc/helve/helve.yaml", "--data", "/var/lib/helve"}
	dispatcher := e.start("dispatcher", joined, args...)
	// pods have a port 9090 each
	worker := e.start("worker",
		append(joined, "--env", "HELVE_HTTP_ADMIN_ADDR=127.0.0.1:9091", "--env", "HELVE_WORKER_POOLS=default"), args...)
	e.await(dispatcher, "/usr/local/bin/dispatcher", "--healthcheck", "http://127.0.0.1:9090/readyz")
	e.await(worker, "/usr/local/bin/worker", "--healthcheck", "http://127.0.0.1:9091/readyz")

	if got := e.run("exec", up, helve, "call", "calculate", "expression=15% of 80"); !strings.Contains(got, `"result": 12`) {
		t.Errorf("a call at the dispatcher's container: %s", got)
	}
	if got := e.run("exec", up, helve, "workers", "--server", elsewhere); strings.Count(got, "w-") < 2 {
		t.Errorf("the worker's container is not among the workers:\n%s", got)
	}
	if got := e.run("exec", up, helve, "version"); !strings.Contains(got, version) {
		t.Errorf("version: %s", got)
	}
	checkDoctor(t, e.run("exec", up, helve, "doctor"))

	if out, err := e.try("exec", up, "/bin/sh", "-c", "true"); err == nil {
		t.Errorf("the image has a shell: %s", out)
	}
	for _, id := range []string{worker, dispatcher, up} {
		e.run("stop", "--time", "60", id)
		if code := e.run("inspect", "--format", "{{.State.ExitCode}} {{.Config.User}} {{.State.OOMKilled}}", id); code != "0 65532:65532 false" {
			t.Errorf("after SIGTERM: %s, want exit code 0, the image's user", code)
		}
	}
}

// checkDoctor checks the findings in a container: scripts of models run, confined, and the
// programs that the image lacks are named.
func checkDoctor(t *testing.T, report string) {
	t.Helper()
	rows := map[string][]string{}
	for line := range strings.Lines(report) {
		if f := strings.Fields(line); len(f) > 3 {
			rows[f[0]] = f
		}
	}
	for part, want := range map[string]string{
		"landlock": "yes", "seccomp": "yes", "trial": "yes", "children": "yes", "programs": "yes", "git": "no", "ffmpeg": "no",
	} {
		if row := rows[part]; row == nil || row[2] != want {
			t.Errorf("helve doctor in a container reports %v for %s, want %s", row, part, want)
		}
	}
	if row := strings.Join(rows["children"], " "); !strings.Contains(row, "/usr/local/bin/helve-child") || strings.Contains(row, "not known") {
		t.Errorf("children of scripts: %s", row)
	}
	if row := strings.Join(rows["git"], " "); !strings.Contains(row, "Git tools") {
		t.Errorf("helve doctor does not say what lacks without git: %s", row)
	}
}
