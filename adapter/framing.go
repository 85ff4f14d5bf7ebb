package adapter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// maxMessage is the largest message body that is read, in bytes.
const maxMessage = 64 << 20

// maxHeader is the longest header line that is read, in bytes.
const maxHeader = 4096

// errFraming is returned for input that is not a DAP message at all. After it
// the beginning of the next message cannot be found.
var errFraming = errors.New("not a debug adapter message")

// readMessage returns the body of the next message. Header names are matched
// whatever their case, and headers other than Content-Length are skipped, as
// the base protocol allows. It returns io.EOF only between messages.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := readHeaderLine(r)
		switch {
		case err == io.EOF && first && line == "":
			return nil, io.EOF
		case err != nil:
			return nil, fmt.Errorf("reading a header: %w", unexpected(err))
		}
		if line == "" {
			if length < 0 {
				return nil, fmt.Errorf("%w: a header without Content-Length", errFraming)
			}
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%w: header line %q", errFraming, line)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
			return nil, fmt.Errorf("%w: Content-Length %q", errFraming, strings.TrimSpace(value))
		}
	}
	// The buffer grows with what arrives, not with what the header promises.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(length)); err != nil {
		return nil, fmt.Errorf("reading a body of %d bytes: %w", length, unexpected(err))
	}
	return body.Bytes(), nil
}

// readHeaderLine returns one line without its end.
func readHeaderLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxHeader {
			return "", fmt.Errorf("%w: a header line of more than %d bytes", errFraming, maxHeader)
		}
		if err == nil {
			return strings.TrimRight(string(line), "\r\n"), nil
		}
		if err != bufio.ErrBufferFull {
			return string(line), err
		}
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeMessage writes one message in one piece.
func writeMessage(w io.Writer, m dap.Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encoding %T: %w", m, err)
	}
	framed := make([]byte, 0, len(body)+32)
	framed = fmt.Appendf(framed, "Content-Length: %d\r\n\r\n", len(body))
	_, err = w.Write(append(framed, body...))
	return err
}
