// Command chat-web is a chat page on top of Helve: people talk to a model that may use
// the tools, see the progress of the tools, and decide about calls that need approval.
// It is an example of a front end to copy from; README.md explains how to run it.
//
// chat.go holds one person's conversation, web.go handles the requests of their pages,
// gateway.go passes those for Helve on, page-src/ has the source of the page, and page/ the
// files that are built from it and served.
//
// It promises that people see and decide only their own calls, and that a conversation
// continues after a restart of this program. It does not authenticate people: they log
// in with a name only.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "chat-web:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("chat-web", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:8081", "`ADDRESS` of the page")
	host := flags.String("host", "", "`HOST[:PORT]` by which browsers reach it, if different")
	data := flags.String("data", "data/chat-web", "`DIR` that keeps the conversations")
	helve := flags.String("server", cmp.Or(os.Getenv("HELVE_SERVER"), "http://127.0.0.1:8080"), "`URL` of Helve")
	model := chat.Options{}
	flags.StringVar(&model.Provider, "provider", "openai", "openai, openai_responses, anthropic or gemini")
	flags.StringVar(&model.Model, "model", "", "`NAME` of the model")
	flags.StringVar(&model.BaseURL, "base-url", "", "`URL` of a server instead of the provider's own; openai's ends in /v1")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, name := range chat.KeyVariable(model.Provider) {
		model.Key = cmp.Or(model.Key, os.Getenv(name))
	}
	token := os.Getenv("HELVE_TOKEN")
	through, err := newGateway(*helve, token)
	if err != nil {
		return err
	}
	m, err := chat.New(model)
	if err == nil {
		err = os.MkdirAll(*data, 0o700)
	}
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	signedIn, err := openSessions(filepath.Join(*data, "sessions"))
	if err != nil {
		return err
	}
	s := &server{
		ctx: ctx, data: *data, helve: through, model: m, hosts: []string{listener.Addr().String(), "localhost:" + port, *host},
		sessions: signedIn, chats: map[string]*conversation{},
		dial: func(user string) (*client.Client, error) {
			return client.New(*helve, client.WithToken(token), client.WithContext(client.Context{User: user}), client.WithRetry())
		},
	}
	return s.serve(listener)
}

// serve serves until the program is stopped, and then stores the conversations.
func (s *server) serve(listener net.Listener) error {
	web := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return s.ctx }, // event streams end with it
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	fmt.Printf("ready http=http://%s\n", listener.Addr())
	select {
	case err := <-ended:
		return err
	case <-s.ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 10*time.Second)
	defer cancel()
	err := web.Shutdown(late)
	s.helve.via.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chats {
		c.runs.Wait()
		c.loop.Client.Close()
	}
	return err
}
