package stack

import (
	"strings"
)

// compose runs docker compose in a copy of deploy/compose.
type compose struct {
	engine

	dir string
}

func (c compose) run(args ...string) string {
	c.t.Helper()
	cmd := c.command("docker", append([]string{"compose"}, args...)...)
	cmd.Dir = c.dir
	return c.engine.run(cmd)
}

// up starts every service but Grafana, the others by dependency, and waits until they are healthy.
func (c compose) up() {
	c.t.Helper()
	c.run("up", "--detach", "--wait", "--wait-timeout", "600", "worker", "prometheus")
}

// address returns the IP address of the only container of a service.
func (c compose) address(service string) string {
	c.t.Helper()
	ips := strings.Fields(c.docker("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}", "helve-"+service+"-1"))
	if len(ips) == 0 {
		c.t.Fatalf("%s has no address", service)
	}
	return ips[0]
}

// helve runs the command line program from its image against the published API, with a key.
func (c compose) helve(key string, args ...string) (string, error) {
	cmd := c.command("docker", append([]string{"run", "--rm", "--network", "host", "--env", "HELVE_TOKEN",
		"--env", "HELVE_SERVER=http://127.0.0.1:8080", "helve/helve:" + version}, args...)...)
	cmd.Env = append(cmd.Env, "HELVE_TOKEN="+key)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// logs writes the states and the ends of the logs of all containers.
func (c compose) logs() {
	for _, args := range [][]string{{"ps", "--all"}, {"logs", "--tail", "40", "--no-color"}} {
		cmd := c.command("docker", append([]string{"compose"}, args...)...)
		cmd.Dir = c.dir
		out, _ := cmd.CombinedOutput()
		c.t.Logf("%s", out)
	}
}
