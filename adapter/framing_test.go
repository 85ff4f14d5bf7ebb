package adapter

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

func TestReadMessage(t *testing.T) {
	tests := []struct {
		name, in, body string
		err            error
	}{
		{"plain", "Content-Length: 2\r\n\r\n{}", "{}", nil},
		{"other case", "content-length:2\r\n\r\n{}", "{}", nil},
		{"other headers", "Content-Type: application/json\r\nContent-Length: 2\r\nX: y\r\n\r\n{}", "{}", nil},
		{"bare line feeds", "Content-Length: 2\n\n{}", "{}", nil},
		{"empty input", "", "", io.EOF},
		{"cut header", "Content-Le", "", io.ErrUnexpectedEOF},
		{"cut between headers", "Content-Length: 2\r\n", "", io.ErrUnexpectedEOF},
		{"cut body", "Content-Length: 3\r\n\r\n{}", "", io.ErrUnexpectedEOF},
		{"no length", "X: y\r\n\r\n{}", "", errFraming},
		{"no colon", "hello\r\n\r\n", "", errFraming},
		{"negative", "Content-Length: -1\r\n\r\n", "", errFraming},
		{"not a number", "Content-Length: two\r\n\r\n", "", errFraming},
		{"too long", "Content-Length: 99999999999\r\n\r\n", "", errFraming},
		{"endless header", strings.Repeat("x", 3*maxHeader), "", errFraming},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, err := readMessage(bufio.NewReaderSize(strings.NewReader(test.in), 16))
			if string(body) != test.body || !errors.Is(err, test.err) {
				t.Errorf("got %q, %v; want %q, %v", body, err, test.body, test.err)
			}
		})
	}
}

func TestWriteMessage(t *testing.T) {
	var b bytes.Buffer
	event := &dap.OutputEvent{Event: *newEvent("output"), Body: dap.OutputEventBody{Output: "é"}}
	if err := writeMessage(&b, event); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(&b)
	body, err := readMessage(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"seq":0,"type":"event","event":"output","body":{"output":"é"}}`; string(body) != want {
		t.Errorf("got %s; want %s", body, want)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("after the message: %v; want EOF", err)
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 2\r\nA: b\r\n\r\n{}Content-Length: 0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReader(bytes.NewReader(in))
		for {
			body, err := readMessage(r)
			if err != nil {
				return
			}
			if len(body) > len(in) {
				t.Fatalf("%d bytes from %d", len(body), len(in))
			}
		}
	})
}
