package docker

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
)

func TestGenuineFiles(t *testing.T) {
	containers, d := genuine(t, Options{})
	big := bytes.Repeat([]byte("0123456789abcde\n"), mostFileBytes/16-1)
	c := tool.Container{
		Image:   "shell",
		Command: []string{"sh", "-c", `cat a.txt; wc -c < big; cat "sub/it's b"; ls -l a.txt | cut -c1-10; echo "[$(cat)]"; exit 4`},
		Files:   map[string][]byte{"a.txt": []byte("A\n"), "big": big[:mostFileBytes-100], "sub/it's b": []byte("B\n"), "empty": nil},
		Stdin:   []byte("the rest"),
	}
	ran, err := containers.Run(t.Context(), c)
	if want := "A\n8388508\nB\n-rw-r--r--\n[the rest]\n"; err != nil || ran.Code != 4 || string(ran.Stdout) != want {
		t.Errorf("ran %d, %q, %q, %v; want the files and then the input", ran.Code, ran.Stdout, ran.Stderr, err)
	}
	// Input that nobody reads does no harm.
	c = shell("exec <&-; echo done")
	c.Stdin = make([]byte, 4<<20)
	if ran, err = containers.Run(t.Context(), c); err != nil || string(ran.Stdout) != "done\n" {
		t.Errorf("ran %q, %v, want what was written before the input was left unread", ran.Stdout, err)
	}
	wantNoneLeft(t, d)
}

func TestGenuineWorkspace(t *testing.T) {
	dir := dockertest.Workspace(t)
	o := Options{Network: "none", User: dockertest.User(), Dir: func(string, string) (string, error) { return dir, nil }}
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	containers, d := genuine(t, o)
	c := shell(`pwd; cat mine; echo new > made; mkdir -p sub && cp /work/f sub/; touch /work/x && rm /work/x`)
	c.Workspace, c.Files = true, map[string][]byte{"f": []byte("file\n")}
	ran, err := containers.Run(t.Context(), c)
	if err != nil || ran.Code != 0 || string(ran.Stdout) != "/workspace\ntext\n" {
		t.Errorf("ran %d, %q, %q, %v", ran.Code, ran.Stdout, ran.Stderr, err)
	}
	for name, want := range map[string]string{"made": "new\n", "sub/f": "file\n"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != want || err != nil {
			t.Errorf("%s holds %q, %v, want %q", name, text, err, want)
		}
	}
	c = shell(`cat mine; echo other > mine || rm mine || touch new`)
	c.Workspace, c.ReadOnly = true, true
	if ran, err = containers.Run(t.Context(), c); err != nil || ran.Code == 0 || string(ran.Stdout) != "text\n" {
		t.Errorf("read-only: ran %d, %q, %v, want that it can only be read", ran.Code, ran.Stdout, err)
	}
	wantNoneLeft(t, d)
}

// TestGenuineImageWithWork: an image may have a directory where ours is mounted.
func TestGenuineImageWithWork(t *testing.T) {
	containers, d := genuine(t, Options{})
	const made = "helve-test-with-work:1"
	source, err := d.engine.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Config:     &container.Config{Image: dockertest.Image, Cmd: []string{"mkdir", "-m", "755", "/work"}},
		HostConfig: &container.HostConfig{NetworkMode: "none", Resources: container.Resources{Ulimits: ulimits()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.remove(t.Context(), source.ID) }()
	wait := d.engine.ContainerWait(t.Context(), source.ID, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := d.engine.ContainerStart(t.Context(), source.ID, client.ContainerStartOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-wait.Result:
	case err := <-wait.Error:
		t.Fatal(err)
	}
	if _, err := d.engine.ContainerCommit(t.Context(), source.ID, client.ContainerCommitOptions{
		Reference: made, Config: &container.Config{},
	}); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = d.engine.ImageRemove(t.Context(), made, client.ImageRemoveOptions{Force: true}) }()
	d.images["with work"] = made
	_, err = containers.Run(t.Context(), tool.Container{Image: "with work", Command: []string{"true"}})
	wantKind(t, err, tool.NotConfigured, "it has a directory /work of its own. The operator names another one with docker.images")
}
