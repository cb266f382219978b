#!/bin/sh
echo "Hello, wrold!"
