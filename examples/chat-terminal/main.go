// Command chat-terminal is a chat in a terminal on top of Helve, line by line: a model
// that may use the tools answers, the progress of the tools is shown, and the person is
// asked for approvals here. It is an example of a front end to copy from; README.md
// explains how to run it.
//
// terminal.go is the conversation. It is stored in a file: Ctrl-C stops an answer and
// its running calls, and the next line, or the next start, continues from there.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "chat-terminal:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("chat-terminal", flag.ContinueOnError)
	user := flags.String("user", cmp.Or(os.Getenv("USER"), "me"), "`NAME` of the person")
	file := flags.String("state", "", "`FILE` that keeps the conversation (default NAME.chat.json)")
	server := flags.String("server", cmp.Or(os.Getenv("HELVE_SERVER"), "http://127.0.0.1:8080"), "`URL` of Helve")
	options := chat.Options{}
	flags.StringVar(&options.Provider, "provider", "openai", "openai, openai_responses, anthropic or gemini")
	flags.StringVar(&options.Model, "model", "", "`NAME` of the model")
	flags.StringVar(&options.BaseURL, "base-url", "", "`URL` of a server instead of the provider's own; openai's ends in /v1")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, name := range chat.KeyVariable(options.Provider) {
		options.Key = cmp.Or(options.Key, os.Getenv(name))
	}
	model, err := chat.New(options)
	if err != nil {
		return err
	}
	helve, err := client.New(*server, client.WithContext(client.Context{User: *user}), client.WithRetry())
	if err != nil {
		return err
	}
	defer helve.Close()
	t := newTerminal(helve, model, *user, cmp.Or(*file, *user+".chat.json"))
	if err := t.restore(); err != nil {
		return err
	}
	signal.Notify(t.interrupts, os.Interrupt)
	go readLines(t.lines)
	return t.talk(ctx)
}

// readLines sends the typed lines. It runs until the program ends: nothing else ends a
// read from a terminal.
func readLines(lines chan<- string) {
	defer close(lines)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		lines <- in.Text()
	}
}
