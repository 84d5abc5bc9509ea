package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A zip is read from its beginning, by the headers before each member, not by
// the directory at its end: so it may come through a pipe, stand in another
// archive or be cut off, which archive/zip can't bear.
//
// Source: APPNOTE.TXT of PKWARE, sections 4.3.7 (local file header), 4.3.9
// (data descriptor), 4.5.3 (Zip64).
const (
	zipLocal      = "PK\x03\x04"
	zipDescriptor = "PK\x07\x08"
	zipDirectory  = "PK\x01\x02"
	zipEnd        = "PK\x05\x06"
	zipEnd64      = "PK\x06\x06"
)

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte(zipLocal)) || bytes.HasPrefix(head, []byte(zipEnd))
}

var errZipHeader = errors.New("no member begins where one must")

// walkZip visits the members of a zip. Behind what is damaged it looks for the
// next one, and returns the damage at the end.
func walkZip(r io.Reader, visit func(Member) error) error {
	in := bufio.NewReaderSize(r, packedBuffer)
	var damage error
	for {
		mark, err := in.Peek(len(zipLocal))
		if err != nil {
			return errors.Join(damage, noEOF(err))
		}
		switch string(mark) {
		case zipLocal:
			err = visitZip(in, visit)
		case zipDirectory, zipEnd, zipEnd64:
			_, err := io.Copy(io.Discard, in)
			return errors.Join(damage, err)
		default:
			err = errZipHeader
		}
		if errors.Is(err, ErrStop) {
			return err
		}
		if err != nil {
			if damage == nil {
				damage = err
			}
			if err := seekZip(in); err != nil {
				return damage
			}
		}
	}
}

// seekZip goes on to the next member, or to the directory behind all.
func seekZip(in *bufio.Reader) error {
	for {
		if _, err := in.Peek(len(zipLocal)); err != nil {
			return err
		}
		buf, _ := in.Peek(in.Buffered())
		skip := len(buf) - (len(zipLocal) - 1)
		for _, mark := range []string{zipLocal, zipDirectory} {
			if i := bytes.Index(buf, []byte(mark)); i >= 0 {
				skip = min(skip, i)
			}
		}
		if _, err := in.Discard(skip); err != nil || skip < len(buf)-(len(zipLocal)-1) {
			return err
		}
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// visitZip visits a member and stands behind it afterwards.
func visitZip(in *bufio.Reader, visit func(Member) error) error {
	h, err := readZipHeader(in)
	if err != nil {
		return noEOF(err)
	}
	m := Member{Name: h.name, Size: h.size, Unread: h.unreadable()}
	if m.Unread == "" && h.streamed() {
		m.Size = -1
	}
	body := newZipBody(h, in)
	if m.Unread == "" {
		done, err := body.open()
		if err != nil {
			m.Unread = fmt.Sprint("damaged: ", err)
		} else {
			defer done()
			m.Reader = body
		}
	}
	if err := visit(m); err != nil {
		return err
	}
	return body.skip()
}

// A zipHeader is what stands before a member.
type zipHeader struct {
	flags, method uint16
	crc           uint32
	packed, size  int64
	name          string
}

// The flags of a member.
const (
	zipEncrypted = 1 << 0
	zipStreamed  = 1 << 3 // its lengths stand behind it, in a descriptor
)

func (h *zipHeader) streamed() bool { return h.flags&zipStreamed != 0 && h.packed == 0 }

func (h *zipHeader) unreadable() string {
	switch {
	case h.flags&zipEncrypted != 0:
		return "encrypted"
	case zipMethods[h.method] == nil:
		return fmt.Sprintf("packed by a method that kaudit does not know (%d)", h.method)
	case h.streamed() && h.method != zipStore && h.method != zipDeflate:
		return "its end is not known"
	}
	return ""
}

func readZipHeader(in io.Reader) (*zipHeader, error) {
	var b [30]byte
	if _, err := io.ReadFull(in, b[:]); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	h := &zipHeader{
		flags: le.Uint16(b[6:]), method: le.Uint16(b[8:]), crc: le.Uint32(b[14:]),
		packed: int64(le.Uint32(b[18:])), size: int64(le.Uint32(b[22:])),
	}
	n := int(le.Uint16(b[26:]))
	rest := make([]byte, n+int(le.Uint16(b[28:])))
	if _, err := io.ReadFull(in, rest); err != nil {
		return nil, err
	}
	h.name = string(rest[:n])
	h.zip64(rest[n:])
	if h.packed < 0 || h.size < 0 {
		return nil, errZipHeader
	}
	return h, nil
}

// zip64 takes lengths of more than 4 GiB from the extra fields.
func (h *zipHeader) zip64(extra []byte) {
	le := binary.LittleEndian
	for len(extra) >= 4 {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			return
		}
		if id == 1 && n >= 16 && h.size == 1<<32-1 {
			h.size, h.packed = int64(le.Uint64(extra)), int64(le.Uint64(extra[8:]))
		}
		extra = extra[n:]
	}
}
