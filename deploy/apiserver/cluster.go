package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// cluster is a running API server with its clients.
type cluster struct {
	objects  dynamic.Interface
	kinds    *restmapper.DeferredDiscoveryRESTMapper
	warnings warnings
	logs     []string
}

// warnings collects what the API server warns of, such as a version that will be removed.
type warnings struct {
	mu   sync.Mutex
	text []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

func (w *warnings) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.text) == 0 {
		return nil
	}
	return errors.New("the API server warns: " + strings.Join(w.text, "; "))
}

// startCluster starts etcd and the API server. Their ports are free ones of loopback.
func startCluster(ctx context.Context, work string) (c *cluster, end func(), err error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, nil, err
	}
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	token, key, err := credentials(work)
	if err != nil {
		return nil, nil, err
	}
	c = &cluster{}
	endEtcd, err := c.child(ctx, work, asEtcd, "--data-dir", filepath.Join(work, "etcd"),
		"--listen-client-urls", client, "--advertise-client-urls", client, "--unsafe-no-fsync",
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	if err != nil {
		return nil, nil, err
	}
	endServer, err := c.child(ctx, work, asServer, "--etcd-servers", client, "--bind-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(ports[2]), "--cert-dir", filepath.Join(work, "certs"), "--token-auth-file", filepath.Join(work, "tokens.csv"),
		"--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24",
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", key,
		"--service-account-signing-key-file", key)
	if err != nil {
		endEtcd()
		return nil, nil, err
	}
	end = func() { endServer(); endEtcd() }
	config := &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", ports[2]), BearerToken: token, QPS: -1, WarningHandler: &c.warnings,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, // its own certificate, on loopback
	}
	if err := c.await(ctx, config); err != nil {
		end()
		return nil, nil, fmt.Errorf("%w\n%s", err, c.lastWords())
	}
	return c, end, nil
}

// await waits until the API server is ready, and makes the clients.
func (c *cluster) await(ctx context.Context, config *rest.Config) error {
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; {
		if _, err = found.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err == nil {
			fmt.Printf("kube-apiserver ready after %s\n", time.Since(began).Round(time.Second))
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver does not become ready: %w", err)
		}
	}
	c.kinds = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	c.objects, err = dynamic.NewForConfig(config)
	return err
}

// child starts this program as another, with its output in a file.
func (c *cluster) child(ctx context.Context, work string, args ...string) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(work, args[0]+".log")
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	c.logs = append(c.logs, file)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = out, out, work
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = cmd.Process.Kill() // nothing is kept
		_ = cmd.Wait()
		_ = out.Close()
	}, nil
}

// lastWords returns the end of the logs of the children.
func (c *cluster) lastWords() string {
	const most = 3000
	var all strings.Builder
	for _, file := range c.logs {
		text, _ := os.ReadFile(file)
		fmt.Fprintf(&all, "== %s\n%s\n", filepath.Base(file), text[max(0, len(text)-most):])
	}
	return all.String()
}

// freePorts returns ports of loopback on which nothing listens.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// credentials writes the token of an administrator and the key of service accounts.
func credentials(work string) (token, key string, err error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", "", err
	}
	token, key = rand.Text(), filepath.Join(work, "accounts.pem")
	var encoded bytes.Buffer
	if err := pem.Encode(&encoded, &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}); err != nil {
		return "", "", err
	}
	tokens := token + `,admin,admin,"system:masters"` + "\n"
	return token, key, errors.Join(os.WriteFile(key, encoded.Bytes(), 0o600),
		os.WriteFile(filepath.Join(work, "tokens.csv"), []byte(tokens), 0o600))
}
