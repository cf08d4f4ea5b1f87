/* Standard input and output of a BBC micro:bit: the serial line of its nRF51. */
#include <stdint.h>
#include <stdio.h>

#define UART(offset) (*(volatile uint32_t *)(uintptr_t)(0x40002000u + (offset)))

enum {
    START_RX = 0x000,
    START_TX = 0x008,
    RX_READY = 0x108,
    TX_READY = 0x11C,
    ENABLE = 0x500,
    RX = 0x518,
    TX = 0x51C
};

static void switch_on(void) {
    if (UART(ENABLE) == 4)
        return;
    UART(ENABLE) = 4;
    UART(START_RX) = 1;
    UART(START_TX) = 1;
}

static int put_byte(char byte, FILE *file) {
    (void)file;
    switch_on();
    UART(TX_READY) = 0;
    UART(TX) = (uint8_t)byte;
    while (!UART(TX_READY))
        continue;
    return (uint8_t)byte;
}

static int get_byte(FILE *file) {
    (void)file;
    switch_on();
    while (!UART(RX_READY))
        continue;
    UART(RX_READY) = 0; /* before the byte is taken: the next one sets it again */
    return (int)(UART(RX) & 0xFF);
}

static FILE line = FDEV_SETUP_STREAM(put_byte, get_byte, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &line;
FILE *const stdout = &line;
FILE *const stderr = &line;

void _exit(int status) __attribute__((noreturn));
void _exit(int status) {
    (void)status;
    for (;;) /* a board has nowhere to return to */
        continue;
}
